#include "dreamgym/replay/approximate_index.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFFlat.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/replay/internal/index_file.h"

namespace dreamgym {
namespace {

// Faiss's k-means wants at least this many vectors a cell.
constexpr std::size_t kVectorsPerCell = 39;

// Faiss splits its work over OpenMP's threads; a query must not, and a build only if it was asked to.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(std::size_t threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(static_cast<int>(threads));
  }
  ~OpenMpThreads() { omp_set_num_threads(before_); }
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int before_;
};

void check_options(IndexKind kind, const ApproximateIndexOptions& options) {
  const bool sizes = options.links >= 2 && options.build_effort >= 1 && options.search_effort >= 1 &&
                     options.cells >= 1 && options.searched_cells >= 1 && options.build_threads >= 1 &&
                     options.tail_share >= 0 && options.tail_share <= 1;
  if (!sizes || kind == IndexKind::kExact) {
    throw Error(ErrorKind::kInvalidArgument,
                "approximate index: a number is 0 or outside its range",
                "links at least 2, the others at least 1, tail_share in [0, 1]");
  }
}

}  // namespace

IndexKind index_kind_named(std::string_view name) {
  for (const IndexKind kind : {IndexKind::kExact, IndexKind::kHnsw, IndexKind::kIvf}) {
    if (index_kind_name(kind) == name) {
      return kind;
    }
  }
  throw Error(ErrorKind::kConfig, fmt::format("index: got '{}', expected exact, hnsw or ivf", name));
}

std::string_view index_kind_name(IndexKind kind) {
  switch (kind) {
    case IndexKind::kExact:
      return "exact";
    case IndexKind::kHnsw:
      return "hnsw";
    case IndexKind::kIvf:
      return "ivf";
  }
  return "exact";
}

struct ApproximateIndex::Impl {
  Impl(IndexKind index_kind, std::size_t vector_size, ApproximateIndexOptions settings)
      : kind(index_kind), dimension(vector_size), options(settings), tail(make_flat_index(vector_size)) {
    check(dimension > 0, "a vector index has at least one dimension");
    check_options(kind, options);
    start_over();
  }

  void start_over() {
    const auto d = static_cast<int>(dimension);
    if (kind == IndexKind::kHnsw) {
      auto made = std::make_unique<faiss::IndexHNSWFlat>(
          d, static_cast<int>(options.links), faiss::METRIC_INNER_PRODUCT);
      made->hnsw.efConstruction = static_cast<int>(options.build_effort);
      structure = std::move(made);
    } else {
      auto made = std::make_unique<faiss::IndexIVFFlat>(
          new faiss::IndexFlatIP(d), dimension, options.cells, faiss::METRIC_INNER_PRODUCT);
      made->own_fields = true;  // of the centres
      structure = std::move(made);
    }
    rows.clear();
    alive.clear();
    place.clear();
    num_dead = 0;
  }

  [[nodiscard]] std::size_t enough_to_build() const {
    const std::size_t first =
        kind == IndexKind::kIvf ? std::max(options.first_build, kVectorsPerCell * options.cells)
                                : options.first_build;
    return std::max(first,
                    static_cast<std::size_t>(options.tail_share * static_cast<double>(rows.size())));
  }

  void build() {
    if (tail_rows.empty()) {
      return;
    }
    if (!structure->is_trained && tail_rows.size() < kVectorsPerCell * options.cells) {
      return;  // too few for the cells of IVF: they stay in the tail
    }
    const OpenMpThreads threads(options.build_threads);
    const auto count = static_cast<faiss::Index::idx_t>(tail_rows.size());
    if (!structure->is_trained) {
      structure->train(count, tail_vectors.data());
    }
    structure->add(count, tail_vectors.data());
    for (const IndexedRow& row : tail_rows) {
      place[row.key] = rows.size();
      rows.push_back(row);
      alive.push_back(true);
    }
    tail_rows.clear();
    tail_vectors.clear();
    tail = make_flat_index(dimension);
  }

  // Without the dead: half of the structure or more is of no use by now.
  void rebuild() {
    std::vector<IndexedRow> live;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (alive[i]) {
        live.push_back(rows[i]);
        vectors.resize(vectors.size() + dimension);
        reconstruct(i, vectors.data() + vectors.size() - dimension);
      }
    }
    live.insert(live.end(), tail_rows.begin(), tail_rows.end());
    vectors.insert(vectors.end(), tail_vectors.begin(), tail_vectors.end());
    start_over();
    tail = make_flat_index(dimension);
    tail_rows.clear();
    tail_vectors.clear();
    for (std::size_t i = 0; i < live.size(); ++i) {
      append(live[i], std::span(vectors).subspan(i * dimension, dimension));
    }
    if (tail_rows.size() >= enough_to_build()) {
      build();
    }
  }

  void reconstruct(std::size_t row, float* vector) {
    if (auto* const ivf = dynamic_cast<faiss::IndexIVFFlat*>(structure.get())) {
      ivf->make_direct_map();
    }
    structure->reconstruct(static_cast<faiss::Index::idx_t>(row), vector);
  }

  void append(const IndexedRow& row, std::span<const float> vector) {
    tail->add(row.key, row.group, vector);  // checks the vector
    tail_rows.push_back(row);
    tail_vectors.insert(tail_vectors.end(), vector.begin(), vector.end());
  }

  void remove_from_tail(Key key) {
    const auto found = std::ranges::find(tail_rows, key, &IndexedRow::key);
    if (found == tail_rows.end()) {
      return;
    }
    const auto at = (found - tail_rows.begin()) * static_cast<std::ptrdiff_t>(dimension);
    tail_vectors.erase(tail_vectors.begin() + at,
                       tail_vectors.begin() + at + static_cast<std::ptrdiff_t>(dimension));
    tail_rows.erase(found);
    tail->remove(key);
  }

  // The `count` nearest rows of the structure, dead ones included.
  void nearest(const float* query, std::size_t count, std::vector<float>& scores, std::vector<faiss::Index::idx_t>& found) const {
    scores.resize(count);
    found.resize(count);
    const auto k = static_cast<faiss::Index::idx_t>(count);
    if (kind == IndexKind::kHnsw) {
      faiss::SearchParametersHNSW parameters;
      parameters.efSearch = static_cast<int>(std::max(options.search_effort, count));
      structure->search(1, query, k, scores.data(), found.data(), &parameters);
    } else {
      faiss::SearchParametersIVF parameters;
      parameters.nprobe = options.searched_cells;
      structure->search(1, query, k, scores.data(), found.data(), &parameters);
    }
  }

  std::vector<Neighbour> search_one(std::size_t number,
                                    const float* query,
                                    std::size_t k,
                                    const Accept& accept,
                                    const std::vector<Neighbour>& of_tail) const {
    std::vector<Neighbour> best;
    std::vector<float> scores;
    std::vector<faiss::Index::idx_t> found;
    const std::size_t most = std::min(rows.size(), kMostNeighbours);
    for (std::size_t count = std::min(most, 2 * k + 8); count > 0; count = std::min(most, 4 * count)) {
      nearest(query, count, scores, found);
      best.clear();
      std::set<Group> groups;
      for (std::size_t i = 0; i < count && found[i] >= 0 && best.size() < k; ++i) {
        const auto row = static_cast<std::size_t>(found[i]);
        if (alive[row] && (!accept || accept(number, rows[row].key)) && groups.insert(rows[row].group).second) {
          best.push_back({rows[row].key, scores[i]});
        }
      }
      if (best.size() == k || count == most) {
        break;
      }
    }
    return merged(std::move(best), of_tail, k);
  }

  // The k best of both, of each group the best one.
  std::vector<Neighbour> merged(std::vector<Neighbour> best, const std::vector<Neighbour>& of_tail, std::size_t k) const {
    best.insert(best.end(), of_tail.begin(), of_tail.end());
    std::ranges::sort(best, [](const Neighbour& a, const Neighbour& b) {
      return a.similarity != b.similarity ? a.similarity > b.similarity : a.key < b.key;
    });
    std::set<Group> groups;
    std::erase_if(best, [&](const Neighbour& neighbour) { return !groups.insert(group_of(neighbour.key)).second; });
    best.resize(std::min(best.size(), k));
    return best;
  }

  [[nodiscard]] Group group_of(Key key) const {
    const auto found = place.find(key);
    return found != place.end() ? rows[found->second].group : std::ranges::find(tail_rows, key, &IndexedRow::key)->group;
  }

  IndexKind kind;
  std::size_t dimension;
  ApproximateIndexOptions options;
  std::unique_ptr<faiss::Index> structure;
  std::vector<IndexedRow> rows;                   // of the structure, by their number in it
  std::vector<bool> alive;
  std::unordered_map<Key, std::size_t> place;     // live rows of the structure
  std::size_t num_dead = 0;
  std::unique_ptr<VectorIndex> tail;
  std::vector<IndexedRow> tail_rows;
  std::vector<float> tail_vectors;                // [tail_rows, dimension]
};

ApproximateIndex::ApproximateIndex(IndexKind kind, std::size_t dimension, ApproximateIndexOptions options)
    : impl_(std::make_unique<Impl>(kind, dimension, options)) {}

ApproximateIndex::~ApproximateIndex() = default;

std::size_t ApproximateIndex::size() const {
  return impl_->rows.size() - impl_->num_dead + impl_->tail_rows.size();
}

void ApproximateIndex::add(Key key, Group group, std::span<const float> vector) {
  add({key, group, 0}, vector);
}

void ApproximateIndex::add(const IndexedRow& row, std::span<const float> vector) {
  check(!impl_->place.contains(row.key), "a key is added once");
  impl_->append(row, vector);
  if (impl_->tail_rows.size() >= impl_->enough_to_build()) {
    impl_->build();
  }
}

void ApproximateIndex::remove(Key key) {
  const auto found = impl_->place.find(key);
  if (found == impl_->place.end()) {
    impl_->remove_from_tail(key);
    return;
  }
  impl_->alive[found->second] = false;
  impl_->place.erase(found);
  ++impl_->num_dead;
  if (2 * impl_->num_dead > impl_->rows.size() && impl_->rows.size() >= impl_->options.first_build) {
    impl_->rebuild();
  }
}

std::vector<std::vector<VectorIndex::Neighbour>> ApproximateIndex::search(std::span<const float> queries,
                                                                          std::size_t k,
                                                                          const Accept& accept,
                                                                          std::size_t num_threads) const {
  const std::size_t dimension = impl_->dimension;
  check(queries.size() % dimension == 0, "queries have the index's dimension");
  const std::size_t num_queries = queries.size() / dimension;
  if (k == 0) {
    return std::vector<std::vector<Neighbour>>(num_queries);
  }
  const auto of_tail = impl_->tail->search(queries, k, accept, num_threads);
  return parallel_map(num_queries, num_threads, [&](std::size_t i) {
    return impl_->search_one(i, queries.data() + i * dimension, k, accept, of_tail[i]);
  });
}

void ApproximateIndex::build() { impl_->build(); }

std::vector<IndexedRow> ApproximateIndex::rows() const {
  std::vector<IndexedRow> live;
  for (std::size_t i = 0; i < impl_->rows.size(); ++i) {
    if (impl_->alive[i]) {
      live.push_back(impl_->rows[i]);
    }
  }
  live.insert(live.end(), impl_->tail_rows.begin(), impl_->tail_rows.end());
  return live;
}

void ApproximateIndex::save(const Path& file, const std::string& embedder) {
  if (impl_->num_dead > 0) {
    impl_->rebuild();
  }
  impl_->build();
  replay_internal::write_index_file(file,
                                    {.embedder = embedder,
                                     .kind = std::string(index_kind_name(impl_->kind)),
                                     .dimension = impl_->dimension,
                                     .rows = impl_->rows},
                                    *impl_->structure,
                                    impl_->tail_rows,
                                    impl_->tail_vectors);
}

std::unique_ptr<ApproximateIndex> ApproximateIndex::load(const Path& file,
                                                         const std::string& embedder,
                                                         IndexKind kind,
                                                         std::size_t dimension,
                                                         ApproximateIndexOptions options) {
  auto index = std::make_unique<ApproximateIndex>(kind, dimension, options);
  auto read = replay_internal::read_index_file(
      file, {.embedder = embedder, .kind = std::string(index_kind_name(kind)), .dimension = dimension, .rows = {}});
  Impl& impl = *index->impl_;
  impl.structure = std::move(read.structure);
  impl.rows = std::move(read.head.rows);
  impl.alive.assign(impl.rows.size(), true);
  impl.place.reserve(impl.rows.size());
  for (std::size_t i = 0; i < impl.rows.size(); ++i) {
    impl.place[impl.rows[i].key] = i;
  }
  for (std::size_t i = 0; i < read.tail_rows.size(); ++i) {
    impl.append(read.tail_rows[i], std::span(read.tail_vectors).subspan(i * dimension, dimension));
  }
  return index;
}

}  // namespace dreamgym
