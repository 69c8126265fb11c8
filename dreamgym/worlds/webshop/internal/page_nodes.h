// The visible texts of a page, one node each, as a HTML parser would hand them out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/page.h"

namespace dreamgym::webshop {

enum class NodeKind { kText, kButton, kOption, kProduct };

struct PageNode {
  NodeKind kind = NodeKind::kText;
  std::string text{};
};

std::vector<PageNode> page_nodes(const Shop& shop, const SessionState& state);

/// < > & ' as JSON escapes.
std::string template_escape(std::string_view json);
/// {{ options | tojson }}: sorted keys, ASCII, escaped as above.
std::string template_json(const TextDict& options);

}  // namespace dreamgym::webshop
