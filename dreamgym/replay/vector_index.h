// Nearest vectors by dot product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
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

/// What each row of an index that is kept on disk stands for.
struct IndexedRow {
  VectorIndex::Key key = 0;
  VectorIndex::Group group = 0;
  std::uint64_t content = 0;  ///< hash of what was embedded: a key may come to name something else
};

/// Search that does not look at every vector (approximate_index.h): for hundreds of thousands of them.
enum class IndexKind {
  kExact,
  kHnsw,  ///< a graph of near vectors: fast, builds slowly, takes memory for its links
  kIvf,   ///< vectors in cells around centres: builds fast, looks at the cells nearest to the query
};

/// @throws Error kConfig naming the known ones ("exact", "hnsw", "ivf").
IndexKind index_kind_named(std::string_view name);
std::string_view index_kind_name(IndexKind kind);

/// Exact search over all vectors: every query is compared with every row, in tiles that stay in
/// the cache. What an approximate index is measured against.
/// The result for a query does not depend on the batch it is in, nor on the number of threads.
std::unique_ptr<VectorIndex> make_flat_index(std::size_t dimension);

}  // namespace dreamgym
