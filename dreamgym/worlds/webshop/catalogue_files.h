// Reads a catalogue from the benchmark's own files.
//
// A folder holds items_shuffle[_1000].json (list of products), items_ins_v2[_1000].json (attributes
// and synthetic instructions by asin) and items_human_ins[_1000].json (human instructions by asin);
// the larger ones win where both are there. Files are read element by element, each once, so memory
// holds what CatalogueBuilder needs and no products. Where a name stands twice in one of the last
// two, the last one counts. Source: princeton-nlp/WebShop @ 64fa2a5, load_products.
// Thread safety: reentrant.
#pragma once

#include <cstddef>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/webshop/catalogue_builder.h"

namespace dreamgym::webshop {

struct CatalogueFiles {
  Path products{};
  Path attributes{};
  Path instructions{};
};

/// @throws Error kNotFound naming the missing file.
CatalogueFiles find_catalogue_files(const Path& folder);

/// @param max_products  reads the first so many entries only; 0 = all.
/// @throws Error kParse naming file, entry and key if an entry has no name, a price that is no
///               number, options of another shape and the like; kIo.
void read_catalogue(const CatalogueFiles& files,
                    std::size_t max_products,
                    CatalogueBuilder& builder);

/// The same, in memory.
Catalogue load_catalogue(const Path& folder, std::size_t max_products = 0);

}  // namespace dreamgym::webshop
