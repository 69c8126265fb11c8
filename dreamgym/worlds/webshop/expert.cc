#include "dreamgym/worlds/webshop/expert.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/query_words.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kMostLooks = 4;  // products opened before the best of them is bought

/// "$10.0 to $20.0": the lower end.
double low_price(std::string_view shown) {
  double price = 0;
  if (shown.starts_with('$')) {
    shown.remove_prefix(1);
    std::from_chars(shown.data(), shown.data() + shown.size(), price);
  }
  return price;
}

class Expert final : public ScriptedPolicy {
 public:
  void reset(const Task& task, const Observation& observation, std::uint64_t) override {
    *this = Expert();
    instruction_ = task.instruction;
    const std::vector<std::string> content = content_words(instruction_);
    for (const std::string& word : content) {
      wanted_.insert(word);
    }
    asked_ = plain_words(without_price_limit(instruction_));
    queries_ = suggest_queries(instruction_);
    page_ = read_page(observation.text);
  }

  Action act() override {
    switch (page_.kind) {
      case PageKind::kSearch:
      case PageKind::kDone:
        return fmt::format("search[{}]", queries_[num_searches_ % queries_.size()]);
      case PageKind::kResults:
        return choose_product();
      case PageKind::kItem:
        return at_item();
      case PageKind::kSubPage:
        break;
    }
    return "click[< prev]";
  }

  void observe(const Action& action, const Observation& observation) override {
    const PageKind before = page_.kind;
    page_ = read_page(observation.text);
    if (page_.kind == PageKind::kResults && before == PageKind::kSearch) {
      ++num_searches_;
    }
    std::string_view clicked = action;
    if (!consume_prefix(clicked, "click[") || clicked.empty()) {
      return;
    }
    clicked.remove_suffix(1);
    if (page_.kind == PageKind::kItem && before == PageKind::kResults) {
      begin_look(std::string(clicked));
    } else if (page_.kind == PageKind::kItem && before == PageKind::kItem) {
      chosen_.insert(std::string(clicked));
    } else if (page_.kind == PageKind::kResults || page_.kind == PageKind::kSearch) {
      chosen_.clear();
    } else if (page_.kind == PageKind::kSubPage) {
      looked_.insert(std::string(clicked));
      cover(join(page_.body, " "));
    }
  }

 private:
  Action choose_product() {
    const double limit = price_limit(instruction_).value_or(1e9);
    const ShownProduct* best = nullptr;
    std::size_t best_score = 0;
    for (const ShownProduct& product : page_.products) {
      const std::string asin = to_lower(product.asin);
      if (commit_ == asin) {
        return fmt::format("click[{}]", asin);
      }
      const std::size_t score = 1 + count_wanted(product.title);
      if (!covered_.contains(asin) && low_price(product.price) <= limit && score > best_score) {
        best = &product;
        best_score = score;
      }
    }
    if (best != nullptr && covered_.size() < kMostLooks) {
      return fmt::format("click[{}]", to_lower(best->asin));
    }
    if (covered_.size() < kMostLooks && num_searches_ < queries_.size()) {
      return "click[back to search]";
    }
    return go_for_the_best();
  }

  /// Back to the most fitting product seen so far.
  Action go_for_the_best() {
    std::size_t most = 0;
    for (const auto& [asin, words_found] : covered_) {
      if (words_found.size() + 1 > most && asin != commit_) {
        most = words_found.size() + 1;
        best_ = asin;
      }
    }
    if (best_.empty()) {
      return num_searches_ < 2 * queries_.size() ? "click[back to search]" : "click[next >]";
    }
    commit_ = best_;
    for (const ShownProduct& product : page_.products) {
      if (to_lower(product.asin) == commit_) {
        return fmt::format("click[{}]", commit_);
      }
    }
    return page_.has_previous ? "click[< prev]" : "click[back to search]";
  }

  void begin_look(std::string asin) {
    current_ = std::move(asin);
    chosen_.clear();
    looked_.clear();
    covered_[current_];
    cover(page_.title);
    for (const ShownOption& option : page_.options) {
      cover(option.name);
      cover(join(option.values, " "));
    }
  }

  Action at_item() {
    const bool decided = commit_ == current_;
    if (!decided && !complete() && !looked_.contains("features")) {
      return "click[features]";
    }
    if (!decided && !complete() && !looked_.contains("description")) {
      return "click[description]";
    }
    if (!decided && !complete()) {
      return "click[< prev]";
    }
    for (const ShownOption& option : page_.options) {
      const auto value = asked_value(option, asked_);
      if (value && !chosen_.contains(*value)) {
        return fmt::format("click[{}]", *value);
      }
    }
    return "click[buy now]";
  }

  [[nodiscard]] bool complete() const {
    const auto found = covered_.find(current_);
    return found != covered_.end() && found->second.size() == wanted_.size();
  }

  void cover(std::string_view text) {
    const std::vector<std::string> said = plain_words(replace_all(text, "-", " "));
    const std::vector<std::string> whole = plain_words(text);
    std::set<std::string>& found = covered_[current_];
    for (const auto* list : {&said, &whole}) {
      for (const std::string& word : *list) {
        if (wanted_.contains(word)) {
          found.insert(word);
        }
      }
    }
  }

  [[nodiscard]] std::size_t count_wanted(std::string_view text) const {
    const std::vector<std::string> said = plain_words(text);
    return static_cast<std::size_t>(
        std::ranges::count_if(std::set<std::string>(said.begin(), said.end()),
                              [&](const std::string& word) { return wanted_.contains(word); }));
  }

  std::string instruction_;
  std::set<std::string> wanted_;    ///< content words
  std::vector<std::string> asked_;  ///< all words, in order
  std::vector<std::string> queries_;
  std::size_t num_searches_ = 0;
  PageView page_;
  std::map<std::string, std::set<std::string>> covered_;  ///< wanted words found, by opened asin
  std::string current_;                                   ///< asin looked at
  std::string best_;
  std::string commit_;            ///< asin to be bought; "" = still comparing
  std::set<std::string> chosen_;  ///< option values clicked on this page
  std::set<std::string> looked_;  ///< sub pages of it
};

}  // namespace

std::unique_ptr<ScriptedPolicy> make_expert() {
  return std::make_unique<Expert>();
}

}  // namespace dreamgym::webshop
