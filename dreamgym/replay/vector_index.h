// Nearest vectors by dot product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace dreamgym {

/// Thread safety: const members are reentrant; add and remove need the object to themselves.
class VectorIndex {
 public:
  /// Names a vector. Of equally similar vectors the one with the smaller key comes first, so
  /// whoever numbers them in order gets ties in insertion order.
  using Key = std::uint64_t;
  /// Vectors of one group count as the same thing: at most one of them is in a result.
  using Group = std::uint64_t;
  /// Tells whether a vector may be in the result of query number `query`. Called from several
  /// threads, and only for vectors that would make it into the result.
  using Accept = std::function<bool(std::size_t query, Key key)>;

  struct Neighbour {
    Key key = 0;
    float similarity = 0;  ///< dot product with the query
    bool operator==(const Neighbour&) const = default;
  };

  virtual ~VectorIndex() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// @param vector  [dimension], finite.
  /// @throws LogicError on a key that is there already or a wrong length; Error kInvalidArgument
  /// on a value that is not finite.
  virtual void add(Key key, Group group, std::span<const float> vector) = 0;
  /// Forgets a vector; unknown keys are ignored.
  virtual void remove(Key key) = 0;
  /// The k most similar accepted vectors of distinct groups for each query, best first.
  /// @param queries  [num_queries, dimension], one after the other.
  /// @param accept   may be empty: then all are accepted.
  [[nodiscard]] virtual std::vector<std::vector<Neighbour>> search(
      std::span<const float> queries,
      std::size_t k,
      const Accept& accept,
      std::size_t num_threads) const = 0;
};

/// Exact search over all vectors: every query is compared with every row, in tiles that stay in
/// the cache. What an approximate index is measured against.
/// The result for a query does not depend on the batch it is in, nor on the number of threads.
std::unique_ptr<VectorIndex> make_flat_index(std::size_t dimension);

}  // namespace dreamgym
