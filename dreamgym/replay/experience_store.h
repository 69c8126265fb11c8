// The experience of a run on disk: every transition with where it came from.
//
// One SQLite file in the run folder (docs/formats/experience_store.md). Each add() is one
// transaction: after a crash it is there whole or not at all. Content that is there already is not
// stored again. Real transitions are seeds and are never evicted; dreamed ones make room beyond a
// capacity. Evicted rows stay, unseen, until forget_evicted(), so that a run resumed
// from a checkpoint can roll the store back to exactly what it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/replay/record.h"

namespace dreamgym {

/// Thread safety: one thread per object. Several objects and processes may use one file; writers
/// wait for each other (up to 10 s, then Error kBusy).
class ExperienceStore {
 public:
  /// Numbers records in the order they came.
  using Sequence = std::uint64_t;
  /// A point in the store's history: the number of add() calls so far.
  using Mark = std::uint64_t;

  /// Which dreamed transitions go when there are too many.
  enum class Eviction {
    kOldest,     ///< the buffer follows the policy
    kReservoir,  ///< a uniform sample of all the contents that were ever dreamed stays: those of smallest id, a hash
  };

  struct Options {
    std::size_t dreamed_capacity = 100'000;  ///< dreamed transitions kept at most
    Eviction eviction = Eviction::kOldest;
  };

  enum class AddOutcome {
    kAdded,         ///< new content
    kReplaced,      ///< was there as a dream, is now known to be real
    kOtherEpisode,  ///< known content, seen now in a second episode, which was noted
    kDuplicate,     ///< known, nothing to note
  };

  struct AddResult {
    AddOutcome outcome = AddOutcome::kDuplicate;
    Sequence sequence = 0;  ///< of the row that now holds this content
  };

  struct AddReport {
    std::vector<AddResult> results;  ///< [number of records], in their order
    std::vector<Sequence> removed;   ///< evicted or replaced, in order
  };

  /// @param file  created if it is not there; "" = in memory.
  /// @throws Error kCorrupt if it is damaged, no experience store, or of another version; kIo if
  /// it can't be opened.
  explicit ExperienceStore(const std::filesystem::path& file);
  ExperienceStore(const std::filesystem::path& file, Options options);
  ~ExperienceStore();
  ExperienceStore(ExperienceStore&&) noexcept;
  ExperienceStore& operator=(ExperienceStore&&) noexcept;

  /// Stores all of them in one transaction. `id` of each is set from its content.
  AddReport add(std::span<const StoredTransition> records);

  /// Every live record in sequence order.
  /// @throws Error kCorrupt naming the row whose checksum does not fit.
  void for_each(const std::function<void(Sequence sequence, StoredTransition record)>& visit) const;
  [[nodiscard]] std::vector<StoredTransition> load() const;
  /// The record of that content, evicted or not.
  [[nodiscard]] std::optional<StoredTransition> find(std::string_view id) const;
  [[nodiscard]] std::size_t size() const;  ///< live records
  [[nodiscard]] std::size_t num_dreamed() const;

  [[nodiscard]] Mark mark() const;
  /// Undoes every add() after the mark.
  /// @throws Error kInvalidArgument if the store is older than the mark; kCorrupt if evictions
  /// since the mark were already forgotten.
  void roll_back_to(Mark mark);
  /// Deletes rows that were evicted at or before the mark.
  void forget_evicted(Mark mark);

  /// Reads the whole file: structure and every checksum.
  /// @throws Error kCorrupt naming the first thing that is wrong.
  void verify() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dreamgym
