#include "dreamgym/worlds/webshop/product.h"

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/internal/python_text.h"

namespace dreamgym::webshop {

std::string searchable_text(const Product& product) {
  std::string text = product.title + " " + product.description + " " +
                     (product.bullets.empty() ? "" : product.bullets.front()) + " ";
  for (std::size_t i = 0; i < product.options.size(); ++i) {
    text += (i > 0 ? ", and " : "") + product.options[i].name + ": " +
            join(product.options[i].values, ", ");
  }
  return python_lower(text);
}

}  // namespace dreamgym::webshop
