#include "dreamgym/worlds/webshop/internal/page_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "dreamgym/base/text.h"

namespace dreamgym::webshop {
namespace {

class Writer {
 public:
  Writer(const Shop& shop, const SessionState& state) : shop_(shop), state_(state) {}

  std::vector<PageNode> write() {
    switch (state_.page_kind) {
      case PageKind::kSearch:
        search();
        break;
      case PageKind::kResults:
        results();
        break;
      case PageKind::kItem:
        item();
        break;
      case PageKind::kSubPage:
        sub_page();
        break;
      case PageKind::kDone:
        done();
        break;
    }
    return std::move(nodes_);
  }

 private:
  /// An empty text makes no node; blanks alone become one blank, or nothing if a line breaks there.
  void add(std::string_view text, NodeKind kind = NodeKind::kText) {
    constexpr std::string_view kBlanks = " \n\t\f\r";
    if (text.find_first_not_of(kBlanks) != std::string_view::npos) {
      nodes_.push_back({kind, std::string(text)});
    } else if (!text.empty() && !contains(text, "\n")) {
      nodes_.push_back({kind, " "});
    }
  }
  void texts(std::initializer_list<std::string_view> list) {
    for (const std::string_view text : list) {
      add(text);
    }
  }
  void button(std::string_view text) { add(text, NodeKind::kButton); }

  void search() {
    texts({"WebShop", "Instruction: ", state_.goal.instruction});
    button("Search");
  }
  void head() {
    texts({"Instruction:", state_.goal.instruction});
    button("Back to Search");
  }
  void results() {
    head();
    add(fmt::format("Page {} (Total results: {})", state_.page_number, state_.num_results));
    if (state_.page_number > 1) {
      button("< Prev");
    }
    button("Next >");
    for (const ProductIndex index : state_.on_page) {
      add(shop_.catalogue().asin(index), NodeKind::kProduct);
      texts({shop_.catalogue().title(index), shop_.catalogue().price_tag(index)});
    }
  }
  void item() {
    const Catalogue& catalogue = shop_.catalogue();
    head();
    button("< Prev");
    for (const ProductOption& option : catalogue.options(state_.product)) {
      add(option.name);
      for (const std::string& value : option.values) {
        add(value, NodeKind::kOption);
      }
    }
    texts({catalogue.title(state_.product),
           fmt::format("Price: {}", catalogue.price_tag(state_.product)),
           "Rating: N.A."});
    for (const char* name : {"Description", "Features", "Reviews", "Buy Now"}) {
      button(name);
    }
  }
  void sub_page() {
    const Product product = shop_.catalogue().product(state_.product);
    head();
    button("< Prev");
    if (state_.sub_page == "Description") {
      add(product.description);
    } else if (state_.sub_page == "Features") {
      for (const std::string& bullet : product.bullets) {
        add(" " + bullet);
      }
    } else if (state_.sub_page == "Attributes") {
      for (const std::string& attribute : product.attributes) {
        add(" " + attribute);
      }
      texts({product.category, product.query, product.product_category});
    }
  }
  void done() {
    texts({"Thank you for shopping with us!",
           "Your code: ",
           "None",
           " (Paste it in your MTurk interface.)",
           "Purchased",
           "asin",
           shop_.catalogue().asin(state_.product),
           "options",
           template_json(state_.options)});
    for (const char* name : {"attrs", "category", "query", "product category"}) {
      texts({name, "None"});
    }
    // "instuction" is the original's spelling.
    texts({"Target",
           "asin",
           "options",
           "attrs",
           "price upper",
           "instuction text",
           "category",
           "product category",
           "query",
           "Goal ",
           "None",
           "Reward",
           "Your score (min 0.0, max 1.0)",
           python_repr(state_.reward.reward),
           "Reward Details ",
           "None"});
  }

  const Shop& shop_;
  const SessionState& state_;
  std::vector<PageNode> nodes_;
};

}  // namespace

std::vector<PageNode> page_nodes(const Shop& shop, const SessionState& state) {
  return Writer(shop, state).write();
}

std::string template_json(const TextDict& options) {
  TextDict sorted = options;
  std::ranges::sort(sorted);
  return template_escape(python_json(sorted));
}

std::string template_escape(std::string_view json) {
  std::string out;
  for (const char c : json) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      case '\'':
        out += "\\u0027";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace dreamgym::webshop
