#include "dreamgym/replay/replay_buffer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/replay/encoder_embedder.h"
#include "dreamgym/replay/internal/diversity.h"

namespace dreamgym {
namespace {

// Equal similarities are ordered by key: real ones come first, then by sequence.
constexpr std::uint64_t kDreamedBit = 1ULL << 63;

std::uint64_t key_of(ExperienceStore::Sequence sequence, Provenance provenance) {
  return provenance == Provenance::kReal ? sequence : sequence | kDreamedBit;
}

std::uint64_t place_action(std::uint64_t opening, std::string_view action) {
  return hash_text(action) ^ (opening * 0x9E3779B97F4A7C15ULL);
}

// Records whose keys are made in one go while a store is read.
constexpr std::size_t kLoadBatch = 512;

// Chosen from for diversity: more than this many times k hardly changes the choice.
constexpr std::size_t kPoolFactor = 4;

std::uint64_t content_of(const StoredTransition& record) {
  std::uint64_t hash = 0;
  std::from_chars(record.id.data(), record.id.data() + record.id.size(), hash, 16);
  return hash;
}

// Both in the order of their similarity; of equals the first list's come first.
std::vector<ReplayHit> merged(std::vector<ReplayHit> first, std::vector<ReplayHit> second, std::size_t k) {
  std::set<std::uint64_t> taught;
  for (const ReplayHit& hit : first) {
    taught.insert(demonstration_hash(hit.record->transition));
  }
  std::erase_if(second, [&](const ReplayHit& hit) {
    return taught.contains(demonstration_hash(hit.record->transition));
  });
  std::vector<ReplayHit> all;
  std::merge(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(all),
             [](const ReplayHit& a, const ReplayHit& b) { return a.similarity > b.similarity; });
  all.resize(std::min(all.size(), k));
  return all;
}

}  // namespace

ReplayBuffer::ReplayBuffer(std::shared_ptr<const Embedder> embedder, ReplayBufferOptions options)
    : ReplayBuffer(std::move(embedder), std::filesystem::path(), std::move(options)) {}

ReplayBuffer::ReplayBuffer(std::shared_ptr<const Embedder> embedder,
                           const std::filesystem::path& file,
                           ReplayBufferOptions options)
    : embedder_(std::move(embedder)),
      options_(std::move(options)),
      store_(file, {.dreamed_capacity = options_.dreamed_capacity, .eviction = options_.eviction}),
      file_(file) {
  check(embedder_ != nullptr, "a replay buffer has an embedder");
  load();
}

std::filesystem::path ReplayBuffer::index_file() const {
  if (options_.index == IndexKind::kExact || file_.empty()) {
    return {};
  }
  return file_.string() + "." + std::string(index_kind_name(options_.index));
}

void ReplayBuffer::save_index() {
  if (auto* const index = dynamic_cast<ApproximateIndex*>(index_.get()); index != nullptr && !file_.empty()) {
    index->save(index_file(), embedder_->name());
  }
}

std::unique_ptr<VectorIndex> ReplayBuffer::opened_index() {
  const std::size_t dimension = embedder_->dimension();
  if (options_.index == IndexKind::kExact) {
    return make_flat_index(dimension);
  }
  if (!file_.empty() && std::filesystem::exists(index_file())) {
    try {
      auto index = ApproximateIndex::load(
          index_file(), embedder_->name(), options_.index, dimension, options_.approximate);
      for (const IndexedRow& row : index->rows()) {
        indexed_[row.key] = row.content;
      }
      return index;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kCorrupt) {
        throw;
      }
      index_note_ = fmt::format("{}; it was built anew from the store", error.what());
    }
  }
  return std::make_unique<ApproximateIndex>(options_.index, dimension, options_.approximate);
}

void ReplayBuffer::load() {
  indexed_.clear();
  index_ = opened_index();
  records_.clear();
  key_of_id_.clear();
  num_dreamed_ = 0;
  newest_ = 0;
  opening_of_episode_.clear();
  keys_of_place_action_.clear();
  std::vector<Numbered> batch;
  store_.for_each([&](ExperienceStore::Sequence sequence, StoredTransition record) {
    if (!options_.held_out_splits.contains(record.split)) {
      batch.push_back({sequence, std::move(record)});
    }
    if (batch.size() == kLoadBatch) {
      insert_all(std::exchange(batch, {}));
    }
  });
  insert_all(std::move(batch));
  for (const auto& [key, content] : indexed_) {
    if (!records_.contains(key)) {
      index_->remove(key);  // died after the index was written
    }
  }
  indexed_.clear();
}

bool ReplayBuffer::is_indexed(const Numbered& one) const {
  const auto indexed = indexed_.find(key_of(one.sequence, one.record.provenance));
  return indexed != indexed_.end() && indexed->second == content_of(one.record);
}

void ReplayBuffer::insert_all(std::vector<Numbered> batch) {
  std::vector<StateAction> unknown;
  for (const Numbered& one : batch) {
    if (!is_indexed(one)) {
      unknown.emplace_back(one.record.transition.observation.text, one.record.transition.action);
    }
  }
  const auto vectors = embed_pairs(*embedder_, unknown, 1);
  std::size_t next = 0;
  for (Numbered& one : batch) {
    insert(one.sequence, std::move(one.record), is_indexed(one) ? std::vector<float>() : vectors[next++]);
  }
}

void ReplayBuffer::insert(ExperienceStore::Sequence sequence,
                          StoredTransition record,
                          const std::vector<float>& vector) {
  const Key key = key_of(sequence, record.provenance);
  const Transition& transition = record.transition;
  const std::uint64_t content = content_of(record);
  if (!vector.empty()) {
    if (indexed_.contains(key)) {
      index_->remove(key);  // the number came to name something else
    }
    if (auto* const approximate = dynamic_cast<ApproximateIndex*>(index_.get())) {
      approximate->add({key, demonstration_hash(transition), content}, vector);
    } else {
      index_->add(key, demonstration_hash(transition), vector);
    }
  }
  num_dreamed_ += record.provenance == Provenance::kDreamed ? 1 : 0;
  newest_ = std::max(newest_, sequence);
  key_of_id_[record.id] = key;
  note_place(key, record);
  records_[key] = std::make_shared<const StoredTransition>(std::move(record));
}

bool ReplayBuffer::acceptable(Key key,
                              const ReplayQuery& query,
                              const SearchOptions& options,
                              Wanted wanted) const {
  const StoredTransition& record = *records_.at(key);
  const bool dreamed = record.provenance == Provenance::kDreamed;
  if ((dreamed && (!options.include_dreamed || wanted == Wanted::kReal)) ||
      (!dreamed && wanted == Wanted::kDreamed)) {
    return false;
  }
  if (dreamed && !options.policy_version.empty() && record.policy_version != options.policy_version) {
    return false;
  }
  if (dreamed && options.max_age > 0 && newest_ - (key & ~kDreamedBit) >= options.max_age) {
    return false;
  }
  if ((!query.world.empty() && record.world != query.world) ||
      (!options.split.empty() && record.split != options.split)) {
    return false;
  }
  return query.episode_id.empty() || record.episode_id != query.episode_id ||
         !record.other_episode_id.empty();
}

void ReplayBuffer::note_place(Key key, const StoredTransition& record) {
  if (record.provenance != Provenance::kReal) {
    return;
  }
  if (record.step_index == 0) {
    opening_of_episode_[record.episode_id] = hash_text(record.transition.observation.text);
  }
  const auto opening = opening_of_episode_.find(record.episode_id);
  if (opening != opening_of_episode_.end()) {
    keys_of_place_action_[place_action(opening->second, record.transition.action)].push_back(key);
  }
}

std::vector<ReplayHit> ReplayBuffer::same_place(const ReplayQuery& query,
                                                const SearchOptions& options) const {
  std::vector<ReplayHit> hits;
  if (query.opening.empty()) {
    return hits;
  }
  const auto keys = keys_of_place_action_.find(place_action(hash_text(query.opening), query.action));
  if (keys == keys_of_place_action_.end()) {
    return hits;
  }
  std::set<std::uint64_t> taught;
  for (const Key key : keys->second) {
    const StoredTransition& record = *records_.at(key);
    if (hits.size() < options.k && record.transition.action == query.action &&
        acceptable(key, query, options, Wanted::kAny) &&
        taught.insert(demonstration_hash(record.transition)).second) {
      hits.push_back(to_hit({.key = key, .similarity = 1.0F}, query));
      hits.back().same_place = true;
    }
  }
  return hits;
}

void ReplayBuffer::remove(ExperienceStore::Sequence sequence) {
  // Only dreamed ones are ever removed.
  const Key key = sequence | kDreamedBit;
  const auto found = records_.find(key);
  if (found == records_.end()) {
    return;  // came and went within one batch
  }
  index_->remove(key);
  const auto named = key_of_id_.find(found->second->id);
  if (named != key_of_id_.end() && named->second == key) {
    key_of_id_.erase(named);
  }
  records_.erase(found);
  --num_dreamed_;
}

ReplayBuffer::AddReport ReplayBuffer::add(std::span<const Trajectory> trajectories) {
  std::vector<StoredTransition> records;
  for (const auto& trajectory : trajectories) {
    auto steps = to_records(trajectory);
    std::move(steps.begin(), steps.end(), std::back_inserter(records));
  }
  return add(records);
}

ReplayBuffer::AddReport ReplayBuffer::add(std::span<const StoredTransition> records) {
  AddReport report;
  std::vector<StoredTransition> welcome;
  for (const auto& record : records) {
    if (options_.held_out_splits.contains(record.split)) {
      ++report.held_out;
    } else {
      welcome.push_back(record);
      welcome.back().id = content_id(record);
      welcome.back().other_episode_id.clear();
    }
  }
  using AddOutcome = ExperienceStore::AddOutcome;
  const auto stored = store_.add(welcome);
  std::vector<std::size_t> fresh;
  std::vector<StateAction> unknown;
  for (std::size_t i = 0; i < welcome.size(); ++i) {
    const AddOutcome outcome = stored.results[i].outcome;
    if (outcome == AddOutcome::kAdded || outcome == AddOutcome::kReplaced) {
      fresh.push_back(i);
      unknown.emplace_back(welcome[i].transition.observation.text, welcome[i].transition.action);
    }
  }
  const auto vectors = embed_pairs(*embedder_, unknown, 1);  // before others have to wait
  const std::unique_lock lock(access_);
  const std::set<ExperienceStore::Sequence> removed(stored.removed.begin(), stored.removed.end());
  for (std::size_t i = 0; i < welcome.size(); ++i) {
    const auto& [outcome, sequence] = stored.results[i];
    const bool is_new = outcome == AddOutcome::kAdded || outcome == AddOutcome::kReplaced;
    ++(is_new ? report.added : report.duplicates);
    if (is_new && !removed.contains(sequence)) {
      const auto at = static_cast<std::size_t>(std::ranges::lower_bound(fresh, i) - fresh.begin());
      insert(sequence, std::move(welcome[i]), vectors[at]);
    } else if (outcome == AddOutcome::kOtherEpisode) {
      const auto found = records_.find(key_of(sequence, welcome[i].provenance));
      if (found != records_.end()) {
        auto noted = std::make_shared<StoredTransition>(*found->second);
        noted->other_episode_id = welcome[i].episode_id;
        found->second = std::move(noted);
      }
    }
  }
  for (const auto sequence : stored.removed) {
    remove(sequence);
  }
  const auto replaced =
      std::count_if(stored.results.begin(), stored.results.end(), [](const auto& r) {
        return r.outcome == AddOutcome::kReplaced;
      });
  report.evicted = stored.removed.size() - static_cast<std::size_t>(replaced);
  return report;
}

std::vector<std::vector<ReplayHit>> ReplayBuffer::search(std::span<const ReplayQuery> queries,
                                                         const SearchOptions& options) const {
  const std::shared_lock lock(access_);
  SearchOptions wide = options;
  wide.k = options.diversity > 0 ? kPoolFactor * options.k : options.k;
  const std::size_t most = std::max(wide.k, wide.pool);
  std::vector<std::vector<ReplayHit>> results;
  if (options.include_dreamed && options.most_dreamed) {
    results = nearest(queries, wide, Wanted::kReal);
    SearchOptions few = wide;
    few.k = std::min(*options.most_dreamed, std::max(options.k, options.pool));
    few.pool = 0;
    auto dreamed = nearest(queries, few, Wanted::kDreamed);
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = merged(std::move(results[i]), std::move(dreamed[i]), most);
    }
  } else {
    results = nearest(queries, wide, Wanted::kAny);
  }
  for (std::vector<ReplayHit>& hits : results) {
    std::erase_if(hits, [&](const ReplayHit& hit) { return hit.similarity < options.min_similarity; });
    hits = diverse(std::move(hits), options);
  }
  return results;
}

std::vector<ReplayHit> ReplayBuffer::diverse(std::vector<ReplayHit> hits, const SearchOptions& options) const {
  if (options.diversity <= 0) {
    return hits;
  }
  std::vector<double> similarities;
  std::vector<std::vector<float>> vectors;
  for (const ReplayHit& hit : hits) {
    similarities.push_back(hit.similarity);
    vectors.push_back(embedder_->embed_pair(hit.record->transition.observation.text, hit.record->transition.action));
  }
  std::vector<ReplayHit> chosen;
  for (const std::size_t i : replay_internal::choose_diverse(similarities, vectors, options.k, options.diversity)) {
    chosen.push_back(hits[i]);
  }
  return chosen;
}

std::vector<std::vector<ReplayHit>> ReplayBuffer::nearest(std::span<const ReplayQuery> queries,
                                                          const SearchOptions& options,
                                                          Wanted wanted) const {
  std::vector<std::vector<ReplayHit>> results(queries.size());
  std::vector<std::size_t> open;  // queries that the same place does not answer in full
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (wanted != Wanted::kDreamed) {
      results[i] = same_place(queries[i], options);
    }
    if (results[i].size() < options.k) {
      open.push_back(i);
    }
  }
  std::vector<StateAction> pairs;
  for (const std::size_t i : open) {
    pairs.emplace_back(queries[i].state, queries[i].action);
  }
  std::vector<float> vectors;
  vectors.reserve(open.size() * embedder_->dimension());
  for (const std::vector<float>& vector : embed_pairs(*embedder_, pairs, options.num_threads)) {
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  const auto accept = [&](std::size_t j, Key key) {
    return acceptable(key, queries[open[j]], options, wanted);
  };
  const std::size_t most = std::max(options.k, options.pool);
  const auto neighbours = index_->search(vectors, most, accept, options.num_threads);
  for (std::size_t j = 0; j < open.size(); ++j) {
    std::vector<ReplayHit>& hits = results[open[j]];
    std::set<std::uint64_t> taught;
    for (const ReplayHit& hit : hits) {
      taught.insert(demonstration_hash(hit.record->transition));
    }
    for (const auto& neighbour : neighbours[j]) {
      ReplayHit hit = to_hit(neighbour, queries[open[j]]);
      if (hits.size() < most && !taught.contains(demonstration_hash(hit.record->transition))) {
        hits.push_back(std::move(hit));
      }
    }
  }
  return results;
}

ReplayHit ReplayBuffer::to_hit(const VectorIndex::Neighbour& neighbour,
                               const ReplayQuery& query) const {
  ReplayHit hit{records_.at(neighbour.key), neighbour.similarity};
  if (!query.episode_id.empty() && hit.record->episode_id == query.episode_id) {
    auto other = std::make_shared<StoredTransition>(*hit.record);
    std::swap(other->episode_id, other->other_episode_id);
    hit.record = std::move(other);
  }
  return hit;
}

std::size_t ReplayBuffer::size() const {
  const std::shared_lock lock(access_);
  return records_.size();
}

std::size_t ReplayBuffer::num_dreamed() const {
  const std::shared_lock lock(access_);
  return num_dreamed_;
}

std::size_t ReplayBuffer::num_real() const {
  const std::shared_lock lock(access_);
  return records_.size() - num_dreamed_;
}

std::shared_ptr<const StoredTransition> ReplayBuffer::find(std::string_view id) const {
  const std::shared_lock lock(access_);
  const auto found = key_of_id_.find(std::string(id));
  return found == key_of_id_.end() ? nullptr : records_.at(found->second);
}

std::vector<std::shared_ptr<const StoredTransition>> ReplayBuffer::records() const {
  const std::shared_lock lock(access_);
  std::vector<std::pair<ExperienceStore::Sequence, std::shared_ptr<const StoredTransition>>> all;
  all.reserve(records_.size());
  for (const auto& [key, record] : records_) {
    all.emplace_back(key & ~kDreamedBit, record);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::shared_ptr<const StoredTransition>> records;
  records.reserve(all.size());
  for (auto& entry : all) {
    records.push_back(std::move(entry.second));
  }
  return records;
}

void ReplayBuffer::roll_back_to(ExperienceStore::Mark mark) {
  store_.roll_back_to(mark);
  load();
}

}  // namespace dreamgym
