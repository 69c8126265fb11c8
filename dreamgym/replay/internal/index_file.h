// An approximate index on disk (docs/formats/vector_index.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <faiss/Index.h>

#include "dreamgym/base/file.h"
#include "dreamgym/replay/vector_index.h"

namespace dreamgym::replay_internal {

struct IndexFileHead {
  std::string embedder;
  std::string kind;
  std::size_t dimension = 0;
  std::vector<IndexedRow> rows;  ///< of the structure, in its order
};

struct IndexFile {
  IndexFileHead head;
  std::unique_ptr<faiss::Index> structure;
  std::vector<IndexedRow> tail_rows;
  std::vector<float> tail_vectors;  ///< [tail_rows, dimension]
};

/// Whole or not at all.
void write_index_file(const Path& file,
                      const IndexFileHead& head,
                      const faiss::Index& structure,
                      const std::vector<IndexedRow>& tail_rows,
                      const std::vector<float>& tail_vectors);

/// @param expected  embedder, kind and dimension. @throws Error as ApproximateIndex::load.
IndexFile read_index_file(const Path& file, const IndexFileHead& expected);

}  // namespace dreamgym::replay_internal
