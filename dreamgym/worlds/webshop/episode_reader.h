// Follows an episode's text, page by page, whether it shows the shop's own pages or abstract states
// (abstract_state.h): for whoever sees only what an agent sees. The text may be dreamed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/session.h"

namespace dreamgym::webshop {

/// Thread safety: none.
class EpisodeReader {
 public:
  /// Starts an episode; its first observation tells which language it speaks.
  void reset(std::string_view instruction, std::string_view observation);
  void observe(std::string_view action, std::string_view observation);

  [[nodiscard]] const PageView& page() const { return page_; }
  [[nodiscard]] bool is_abstract() const { return abstract_; }
  /// The last observation shows contents; it does not only say that they are shown again.
  [[nodiscard]] bool shows_contents() const { return shows_contents_; }
  /// The last action changed nothing.
  [[nodiscard]] bool nothing_happened() const { return nothing_happened_; }
  /// The shop's terms for an action of this episode.
  [[nodiscard]] ParsedAction parse(std::string_view action) const;
  /// The other way round: "buy" or "click[buy now]".
  [[nodiscard]] std::string action(const ParsedAction& action) const;
  /// Distinct actions that the page offers: on the search page queries from the instruction's words.
  [[nodiscard]] std::vector<std::string> candidates() const;

 private:
  void observe_abstract(std::string_view action, std::string_view observation);
  void read_results(std::string_view text);
  void read_item(std::string_view text);
  void read_again(std::string_view text);
  void read_purchase(std::string_view text);

  std::string instruction_;
  std::string text_;  ///< the last observation
  PageView page_;
  bool abstract_ = false;
  bool shows_contents_ = true;
  bool nothing_happened_ = false;
  std::map<std::size_t, PageView> results_;  ///< of the last search, by page number
  PageView item_page_;                       ///< of the item looked at
};

}  // namespace dreamgym::webshop
