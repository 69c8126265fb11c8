// Experience replay: keep transitions, find the ones most like a state and an action.
//
// The paper's replay buffer (section on grounding the experience model): top-k by cosine of the
// embeddings phi(s, a). Never returned: anything of a held-out split, a step of the query's own
// episode, two demonstrations of the same content. Of equally similar ones real comes before
// dreamed and earlier before later.
// What the same action really led to in another episode that began in the same place (the same first
// observation) is more similar than anything else: a place that was visited before keeps its contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dreamgym/replay/approximate_index.h"
#include "dreamgym/replay/embedder.h"
#include "dreamgym/replay/experience_store.h"
#include "dreamgym/replay/record.h"
#include "dreamgym/replay/vector_index.h"

namespace dreamgym {

struct ReplayQuery {
  std::string state;       ///< text of the current observation
  std::string action;      ///< about to be taken
  std::string world;       ///< only transitions of this world; "" = any
  std::string episode_id;  ///< the query's own episode, left out; "" = leave none out
  std::string opening{};   ///< first observation of the query's episode; "" = unknown
};

struct ReplayHit {
  /// The transition. Where its first episode is the query's own, episode_id names the other one it
  /// was seen in.
  std::shared_ptr<const StoredTransition> record;
  double similarity = 0;  ///< cosine, in [-1, 1]; 1 for the same action in the same place
  bool same_place = false;  ///< the same action in another episode that began where the query's did
};

struct SearchOptions {
  std::size_t k = 4;
  /// Hits offered where the query's own place does not answer all k: so many to draw k from; at most k = k.
  std::size_t pool = 0;
  std::size_t num_threads = 1;
  bool include_dreamed = true;  ///< false = only real transitions are offered
  std::optional<std::size_t> most_dreamed{};  ///< of the k; nothing = as many as are similar
  double min_similarity = -1;   ///< less similar ones are not offered
  /// Maximal marginal relevance: the weight, in [0, 1), of not being like those chosen already; 0 = the k most
  /// similar ones. They are chosen among the 4 k most similar.
  double diversity = 0;
  std::string split{};          ///< only transitions of this split; "" = any
  std::string policy_version{}; ///< only dreamed transitions of this policy; "" = any
  std::size_t max_age = 0;      ///< only the dreamed among the so many newest transitions; 0 = any
};

struct ReplayBufferOptions {
  std::size_t dreamed_capacity = 100'000;
  ExperienceStore::Eviction eviction = ExperienceStore::Eviction::kOldest;
  IndexKind index = IndexKind::kExact;  ///< approximate ones are for hundreds of thousands of transitions
  ApproximateIndexOptions approximate{};
  /// Transitions of these splits are not taken in: what an evaluation will ask must not be known.
  std::set<std::string> held_out_splits = {
      "valid", "valid_seen", "valid_unseen", "dev", "test", "eval", "held_out"};
};

/// Thread safety: const members are reentrant; one thread may add while others search (they see all of an
/// add or nothing). roll_back_to, forget_evicted and save_index need the object to themselves.
class ReplayBuffer {
 public:
  struct AddReport {
    std::size_t added = 0;       ///< new content (dreams that turned out real included)
    std::size_t duplicates = 0;  ///< known content
    std::size_t held_out = 0;    ///< of a held-out split, refused
    std::size_t evicted = 0;     ///< dreamed ones that made room
  };

  /// A buffer in memory.
  explicit ReplayBuffer(std::shared_ptr<const Embedder> embedder, ReplayBufferOptions options = {});
  /// A buffer kept in a SQLite file (created if it is not there), with what is in it. An approximate index is
  /// read from index_file(), brought in step with the store, or built.
  /// @throws Error as ExperienceStore; kInvalidArgument naming both if the index file is of another embedder or
  ///         dimension.
  ReplayBuffer(std::shared_ptr<const Embedder> embedder,
               const std::filesystem::path& file,
               ReplayBufferOptions options = {});

  /// Takes in all steps of the trajectories (in one transaction).
  AddReport add(std::span<const Trajectory> trajectories);
  AddReport add(std::span<const StoredTransition> records);

  /// The most similar transitions for each query, best first; fewer than k if there are no more.
  /// The result of a query does not depend on the batch or the number of threads.
  [[nodiscard]] std::vector<std::vector<ReplayHit>> search(std::span<const ReplayQuery> queries,
                                                           const SearchOptions& options = {}) const;

  /// The transition of that id, if it is in the buffer.
  [[nodiscard]] std::shared_ptr<const StoredTransition> find(std::string_view id) const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t num_real() const;
  [[nodiscard]] std::size_t num_dreamed() const;
  /// All transitions in the order they came.
  [[nodiscard]] std::vector<std::shared_ptr<const StoredTransition>> records() const;
  [[nodiscard]] const Embedder& embedder() const { return *embedder_; }

  /// Checkpoints: see ExperienceStore.
  [[nodiscard]] ExperienceStore::Mark mark() const { return store_.mark(); }
  void roll_back_to(ExperienceStore::Mark mark);
  void forget_evicted(ExperienceStore::Mark mark) { store_.forget_evicted(mark); }

  /// Where an approximate index is kept: the store's file with ".hnsw" or ".ivf" behind it; "" if there is none.
  [[nodiscard]] std::filesystem::path index_file() const;
  /// Writes the approximate index there; nothing to do for the exact one.
  void save_index();
  /// What the constructor found out about the index file, for people; "" = nothing to say.
  [[nodiscard]] const std::string& index_note() const { return index_note_; }

 private:
  using Key = VectorIndex::Key;

  enum class Wanted { kAny, kReal, kDreamed };

  void load();
  /// The index that load() fills: empty, or as it was last written.
  std::unique_ptr<VectorIndex> opened_index();
  struct Numbered {
    ExperienceStore::Sequence sequence = 0;
    StoredTransition record;
  };
  /// Whether the loaded index has the record already.
  [[nodiscard]] bool is_indexed(const Numbered& one) const;
  void insert_all(std::vector<Numbered> batch);
  /// @param vector  its key; empty = the index has it already.
  void insert(ExperienceStore::Sequence sequence, StoredTransition record, const std::vector<float>& vector);
  void remove(ExperienceStore::Sequence sequence);
  void note_place(Key key, const StoredTransition& record);
  [[nodiscard]] bool acceptable(Key key,
                                const ReplayQuery& query,
                                const SearchOptions& options,
                                Wanted wanted) const;
  /// Up to k real transitions of the query's place and action, earliest first.
  [[nodiscard]] std::vector<ReplayHit> same_place(const ReplayQuery& query,
                                                  const SearchOptions& options) const;
  [[nodiscard]] std::vector<std::vector<ReplayHit>> nearest(std::span<const ReplayQuery> queries,
                                                            const SearchOptions& options,
                                                            Wanted wanted) const;
  [[nodiscard]] std::vector<ReplayHit> diverse(std::vector<ReplayHit> hits,
                                               const SearchOptions& options) const;
  [[nodiscard]] ReplayHit to_hit(const VectorIndex::Neighbour& neighbour,
                                 const ReplayQuery& query) const;

  std::shared_ptr<const Embedder> embedder_;
  ReplayBufferOptions options_;
  ExperienceStore store_;
  std::filesystem::path file_;
  std::string index_note_;
  // Guards everything below. Not a dreamgym Mutex: readers share it.
  mutable std::shared_mutex access_;
  std::unique_ptr<VectorIndex> index_;
  std::unordered_map<Key, std::uint64_t> indexed_;  // contents of a loaded index's rows, while load() runs
  ExperienceStore::Sequence newest_ = 0;
  std::unordered_map<Key, std::shared_ptr<const StoredTransition>> records_;
  std::unordered_map<std::string, Key> key_of_id_;
  std::size_t num_dreamed_ = 0;
  std::unordered_map<std::string, std::uint64_t> opening_of_episode_;      // hashes; real ones
  std::unordered_map<std::uint64_t, std::vector<Key>> keys_of_place_action_;  // real ones
};

}  // namespace dreamgym
