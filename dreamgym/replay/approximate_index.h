// Nearest vectors by dot product among very many, found by Faiss without looking at all of them.
//
// New vectors are searched exactly in a tail until there are enough of them to be put into Faiss's structure
// in one go; removed ones stay in it unseen until they are as many as the live ones, when it is built anew. The
// filters are applied to more and more neighbours until k have passed, or kMostNeighbours were looked at: a
// filter that refuses nearly everything near may find fewer than k.
// The result depends on the order in which vectors came, but not on threads or batches.
// On disk (docs/formats/vector_index.md) it names its embedder and dimension, and carries checksums.
// Thread safety: as VectorIndex.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/replay/vector_index.h"

namespace dreamgym {

struct ApproximateIndexOptions {
  std::size_t links = 32;             ///< HNSW: M, of a vector
  std::size_t build_effort = 80;      ///< HNSW: efConstruction
  std::size_t search_effort = 64;     ///< HNSW: efSearch
  std::size_t cells = 1024;           ///< IVF: nlist
  std::size_t searched_cells = 32;    ///< IVF: nprobe
  std::size_t first_build = 4096;     ///< vectors until the structure is built (IVF: at least 39 a cell)
  double tail_share = 0.05;           ///< of all vectors, searched exactly before they are put in
  std::size_t build_threads = 1;      ///< with more than one HNSW's graph depends on their timing
};

class ApproximateIndex final : public VectorIndex {
 public:
  static constexpr std::size_t kMostNeighbours = 4096;

  /// @param kind  kHnsw or kIvf. @throws Error kInvalidArgument for a number that means nothing.
  ApproximateIndex(IndexKind kind, std::size_t dimension, ApproximateIndexOptions options);
  ~ApproximateIndex() override;

  [[nodiscard]] std::size_t size() const override;
  void add(Key key, Group group, std::span<const float> vector) override;
  /// The same with what was embedded, for indexes that are written to disk.
  void add(const IndexedRow& row, std::span<const float> vector);
  void remove(Key key) override;
  [[nodiscard]] std::vector<std::vector<Neighbour>> search(std::span<const float> queries,
                                                           std::size_t k,
                                                           const Accept& accept,
                                                           std::size_t num_threads) const override;

  /// Puts the tail into the structure now.
  void build();
  /// Live rows, in no particular order.
  [[nodiscard]] std::vector<IndexedRow> rows() const;

  /// Builds and writes it, whole or not at all.
  void save(const Path& file, const std::string& embedder);
  /// @throws Error kCorrupt if the file is damaged or of another version; kInvalidArgument naming both if it is of
  ///         another embedder, dimension or kind.
  static std::unique_ptr<ApproximateIndex> load(const Path& file,
                                                const std::string& embedder,
                                                IndexKind kind,
                                                std::size_t dimension,
                                                ApproximateIndexOptions options);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dreamgym
