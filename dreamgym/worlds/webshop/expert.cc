#include "dreamgym/worlds/webshop/expert.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/episode_reader.h"
#include "dreamgym/worlds/webshop/query_words.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kMostLooks = 4;  // products opened before the best of them is bought

ParsedAction click(std::string name) {
  return {"click", std::move(name)};
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
    reader_.reset(instruction_, observation.text);
  }

  Action act() override { return reader_.action(next()); }

  void observe(const Action& action, const Observation& observation) override {
    const ParsedAction taken = reader_.parse(action);
    const PageKind before = page().kind;
    reader_.observe(action, observation.text);
    if (page().kind == PageKind::kResults && before == PageKind::kSearch) {
      ++num_searches_;
    }
    if (taken.name != "click" || taken.argument.empty()) {
      return;
    }
    if (page().kind == PageKind::kItem && before == PageKind::kResults) {
      begin_look(taken.argument);
    } else if (page().kind == PageKind::kItem && before == PageKind::kItem) {
      chosen_.insert(taken.argument);
    } else if (page().kind == PageKind::kResults || page().kind == PageKind::kSearch) {
      chosen_.clear();
    } else if (page().kind == PageKind::kSubPage) {
      looked_.insert(taken.argument);
      cover(join(page().body, " "));
    }
  }

 private:
  [[nodiscard]] const PageView& page() const { return reader_.page(); }

  ParsedAction next() {
    switch (page().kind) {
      case PageKind::kSearch:
      case PageKind::kDone:
        return {"search", queries_[num_searches_ % queries_.size()]};
      case PageKind::kResults:
        return choose_product();
      case PageKind::kItem:
        return at_item();
      case PageKind::kSubPage:
        break;
    }
    return click("< prev");
  }

  ParsedAction choose_product() {
    const double limit = price_limit(instruction_).value_or(1e9);
    const ShownProduct* best = nullptr;
    std::size_t best_score = 0;
    for (const ShownProduct& product : page().products) {
      const std::string asin = to_lower(product.asin);
      if (commit_ == asin) {
        return click(asin);
      }
      const std::size_t score = 1 + count_wanted(product.title);
      if (!covered_.contains(asin) && lowest_price(product.price) <= limit && score > best_score) {
        best = &product;
        best_score = score;
      }
    }
    if (best != nullptr && covered_.size() < kMostLooks) {
      return click(to_lower(best->asin));
    }
    if (covered_.size() < kMostLooks && num_searches_ < queries_.size()) {
      return click("back to search");
    }
    return go_for_the_best();
  }

  /// Back to the most fitting product seen so far.
  ParsedAction go_for_the_best() {
    std::size_t most = 0;
    for (const auto& [asin, words_found] : covered_) {
      if (words_found.size() + 1 > most && asin != commit_) {
        most = words_found.size() + 1;
        best_ = asin;
      }
    }
    if (best_.empty()) {
      return click(num_searches_ < 2 * queries_.size() ? "back to search" : "next >");
    }
    commit_ = best_;
    for (const ShownProduct& product : page().products) {
      if (to_lower(product.asin) == commit_) {
        return click(commit_);
      }
    }
    return click(page().has_previous ? "< prev" : "back to search");
  }

  void begin_look(std::string asin) {
    current_ = std::move(asin);
    chosen_.clear();
    looked_.clear();
    covered_[current_];
    cover(page().title);
    for (const ShownOption& option : page().options) {
      cover(option.name);
      cover(join(option.values, " "));
    }
  }

  ParsedAction at_item() {
    const bool decided = commit_ == current_;
    if (!decided && !complete() && !looked_.contains("features")) {
      return click("features");
    }
    if (!decided && !complete() && !looked_.contains("description")) {
      return click("description");
    }
    if (!decided && !complete()) {
      return click("< prev");
    }
    for (const ShownOption& option : page().options) {
      const auto value = asked_value(option, asked_);
      if (value && !chosen_.contains(*value)) {
        return click(*value);
      }
    }
    return click("buy now");
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
  EpisodeReader reader_;
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
