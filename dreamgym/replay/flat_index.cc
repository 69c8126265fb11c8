#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/replay/internal/score_kernel.h"
#include "dreamgym/replay/vector_index.h"

namespace dreamgym {
namespace {

using replay_internal::kLanes;
using replay_internal::kQueryBlock;
using replay_internal::Lanes;

// Rows of one tile: 256 rows of 256 floats are 256 KiB, which a core's second-level cache holds.
constexpr std::size_t kTileBlocks = 16;
// Queries a thread takes at a time; each of its passes over the rows serves all of them.
constexpr std::size_t kQueriesPerJob = 64;

struct Candidate {
  float similarity = 0;
  VectorIndex::Key key = 0;
  VectorIndex::Group group = 0;
};

bool better(const Candidate& a, const Candidate& b) {
  return a.similarity != b.similarity ? a.similarity > b.similarity : a.key < b.key;
}

// The k best candidates of distinct groups seen so far, best first.
class Best {
 public:
  explicit Best(std::size_t k) : k_(k) { entries_.reserve(k); }

  [[nodiscard]] bool wants(const Candidate& candidate) const {
    return entries_.size() < k_ || better(candidate, entries_.back());
  }
  // Below this a similarity can't enter.
  [[nodiscard]] float threshold() const {
    return entries_.size() < k_ ? -INFINITY : entries_.back().similarity;
  }
  void offer(const Candidate& candidate) {
    const auto twin = std::find_if(entries_.begin(), entries_.end(), [&](const Candidate& entry) {
      return entry.group == candidate.group;
    });
    if (twin != entries_.end()) {
      if (!better(candidate, *twin)) {
        return;
      }
      entries_.erase(twin);
    } else if (entries_.size() == k_) {
      entries_.pop_back();
    }
    entries_.insert(std::upper_bound(entries_.begin(), entries_.end(), candidate, better),
                    candidate);
  }
  [[nodiscard]] const std::vector<Candidate>& entries() const { return entries_; }

 private:
  std::size_t k_;
  std::vector<Candidate> entries_;
};

class FlatIndex final : public VectorIndex {
 public:
  explicit FlatIndex(std::size_t dimension)
      : dimension_(dimension), kernel_(replay_internal::score_kernels().front()) {
    check(dimension > 0, "a vector index has at least one dimension");
  }

  [[nodiscard]] std::size_t size() const override { return keys_.size(); }

  void add(Key key, Group group, std::span<const float> vector) override {
    check(vector.size() == dimension_, "a vector has the index's dimension");
    for (std::size_t d = 0; d < dimension_; ++d) {
      if (!std::isfinite(vector[d])) {
        throw Error(ErrorKind::kInvalidArgument,
                    fmt::format("vector index: value {} of vector {} is {}, expected a finite one",
                                d,
                                key,
                                vector[d]));
      }
    }
    check(row_of_.emplace(key, keys_.size()).second, "a key is added once");
    if (keys_.size() % kLanes == 0) {
      blocks_.resize(blocks_.size() + dimension_, Lanes{});
    }
    keys_.push_back(key);
    groups_.push_back(group);
    for (std::size_t d = 0; d < dimension_; ++d) {
      cell(keys_.size() - 1, d) = vector[d];
    }
  }

  // The last row moves into the hole; order among equals comes from keys, not from places.
  void remove(Key key) override {
    const auto found = row_of_.find(key);
    if (found == row_of_.end()) {
      return;
    }
    const std::size_t hole = found->second;
    const std::size_t last = keys_.size() - 1;
    row_of_.erase(found);
    if (hole != last) {
      row_of_[keys_[last]] = hole;
      keys_[hole] = keys_[last];
      groups_[hole] = groups_[last];
      for (std::size_t d = 0; d < dimension_; ++d) {
        cell(hole, d) = cell(last, d);
      }
    }
    keys_.pop_back();
    groups_.pop_back();
    if (last % kLanes == 0) {
      blocks_.resize(blocks_.size() - dimension_);
    }
  }

  [[nodiscard]] std::vector<std::vector<Neighbour>> search(std::span<const float> queries,
                                                           std::size_t k,
                                                           const Accept& accept,
                                                           std::size_t num_threads) const override {
    check(queries.size() % dimension_ == 0, "queries have the index's dimension");
    const std::size_t num_queries = queries.size() / dimension_;
    std::vector<std::vector<Neighbour>> results(num_queries);
    if (k == 0 || keys_.empty()) {
      return results;
    }
    // Small enough jobs that every thread gets one, in whole query blocks.
    const std::size_t share =
        (num_queries + num_threads - 1) / std::max<std::size_t>(num_threads, 1);
    const std::size_t rounded = (share + kQueryBlock - 1) / kQueryBlock * kQueryBlock;
    const std::size_t per_job = std::clamp(rounded, kQueryBlock, kQueriesPerJob);
    const std::size_t num_jobs = (num_queries + per_job - 1) / per_job;
    parallel_for(num_jobs, num_threads, [&](std::size_t job) {
      const std::size_t first = job * per_job;
      search_job(queries, first, std::min(num_queries, first + per_job), k, accept, results);
    });
    return results;
  }

 private:
  struct Tile {
    const float* scores;  // [num_blocks * 16] of one query
    std::size_t first_block;
    std::size_t num_blocks;
  };

  float& cell(std::size_t row, std::size_t d) {
    return blocks_[row / kLanes * dimension_ + d].value[row % kLanes];
  }

  void search_job(std::span<const float> queries,
                  std::size_t first,
                  std::size_t end,
                  std::size_t k,
                  const Accept& accept,
                  std::vector<std::vector<Neighbour>>& results) const {
    const std::size_t count = end - first;
    const std::size_t padded = (count + kQueryBlock - 1) / kQueryBlock * kQueryBlock;
    std::vector<float> packed(padded * dimension_, 0.0F);
    std::copy_n(queries.begin() + static_cast<std::ptrdiff_t>(first * dimension_),
                count * dimension_,
                packed.begin());
    std::vector<Best> best(count, Best(std::min(k, keys_.size())));
    std::vector<float> scores(kQueryBlock * kTileBlocks * kLanes);

    const std::size_t num_blocks = blocks_.size() / dimension_;
    for (std::size_t block = 0; block < num_blocks; block += kTileBlocks) {
      const std::size_t tile_blocks = std::min(kTileBlocks, num_blocks - block);
      for (std::size_t q = 0; q < padded; q += kQueryBlock) {
        kernel_(packed.data() + q * dimension_,
                blocks_.data() + block * dimension_,
                tile_blocks,
                dimension_,
                scores.data());
        for (std::size_t i = q; i < std::min(count, q + kQueryBlock); ++i) {
          const float* of_query = scores.data() + (i - q) * tile_blocks * kLanes;
          const auto accepts = [&](Key key) { return !accept || accept(first + i, key); };
          offer_tile({of_query, block, tile_blocks}, accepts, best[i]);
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto& entry : best[i].entries()) {
        results[first + i].push_back({entry.key, entry.similarity});
      }
    }
  }

  // Offers the rows of a tile that reach the current threshold; most blocks have none.
  template <class Accepts>
  void offer_tile(const Tile& tile, const Accepts& accepts, Best& best) const {
    for (std::size_t block = 0; block < tile.num_blocks; ++block) {
      const float* lanes = tile.scores + block * kLanes;
      const float threshold = best.threshold();
      bool any = false;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        any |= lanes[lane] >= threshold;
      }
      if (!any) {
        continue;
      }
      const std::size_t row = (tile.first_block + block) * kLanes;
      const std::size_t end = std::min(kLanes, keys_.size() - row);
      for (std::size_t lane = 0; lane < end; ++lane) {
        const Candidate candidate{lanes[lane], keys_[row + lane], groups_[row + lane]};
        if (best.wants(candidate) && accepts(candidate.key)) {
          best.offer(candidate);
        }
      }
    }
  }

  std::size_t dimension_;
  replay_internal::ScoreKernel kernel_;
  std::vector<Lanes> blocks_;  // [num_blocks, dimension], 16 rows side by side; the rest is zero
  std::vector<Key> keys_;      // [num_rows]
  std::vector<Group> groups_;  // [num_rows]
  std::unordered_map<Key, std::size_t> row_of_;
};

}  // namespace

std::unique_ptr<VectorIndex> make_flat_index(std::size_t dimension) {
  return std::make_unique<FlatIndex>(dimension);
}

}  // namespace dreamgym
