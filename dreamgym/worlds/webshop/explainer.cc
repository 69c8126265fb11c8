#include "dreamgym/worlds/webshop/explainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/webshop/episode_reader.h"
#include "dreamgym/worlds/webshop/query_words.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym::webshop {
namespace {

/// Elements of info that a purchase leaves, "" where a log lacks them.
std::string info_of(const Transition& step, const char* key) {
  const auto found = step.info.find(key);
  return found == step.info.end() ? "" : found->second;
}

std::string plain_word(const std::string& word) {
  const std::vector<std::string> plain = plain_words(word);
  return plain.empty() ? "" : plain.front();
}

void remove_words(std::vector<std::string>& from, std::string_view text) {
  std::set<std::string> words;
  add_words_of(text, words);
  std::erase_if(from, [&](const std::string& word) { return words.contains(plain_word(word)); });
}

/// The instruction from its first word that says what is wanted, without its price.
std::vector<std::string> wanted_span(std::string_view instruction) {
  const std::vector<std::string> content = content_words(instruction);
  std::vector<std::string> span = words(to_lower(without_price_limit(instruction)));
  const auto first = std::ranges::find_if(span, [&](const std::string& word) {
    return !content.empty() && plain_word(word) == content.front();
  });
  span.erase(span.begin(), first == span.end() ? span.begin() : first);
  return span;
}

std::string elements(const std::vector<std::string>& words, bool with_price) {
  std::vector<std::string> parts;
  if (!words.empty()) {
    parts.push_back(join(words, " "));
  }
  if (with_price) {
    parts.emplace_back("price");
  }
  return parts.empty() ? "nothing" : join(parts, ", ");
}

/// The instruction's own words and its price, as the instruction has them: a small model copies a span far
/// better than a selection.
std::string wanted_elements(std::string_view instruction) {
  return elements(wanted_span(instruction), price_limit(instruction).has_value());
}

/// Follows one episode.
class Walk {
 public:
  explicit Walk(const Trajectory& trajectory) : instruction_(trajectory.task.instruction) {
    reader_.reset(instruction_, trajectory.steps.front().observation.text);
  }

  ReasoningTrace take(const Transition& step) {
    const ParsedAction action = reader_.parse(step.action);
    const PageView before = reader_.page();
    reader_.observe(step.action, step.next_observation.text);
    ReasoningTrace trace;
    if (!step.action_valid) {
      trace.add("effect", std::string(effects::kInvalid));
      return trace;
    }
    const bool chose = before.kind == PageKind::kItem && page().kind == PageKind::kItem;
    follow(action, before, chose);
    trace.add("effect", std::string(effect(chose)));
    trace.add("at", place());
    if (trace.find("effect") == effects::kNew && page().kind != PageKind::kResults) {
      trace.add("meets", met_here());  // before the page: a small model shows what it has said it would
    }
    const bool bought = page().kind == PageKind::kDone;
    const std::string want = bought ? wanted_elements(instruction_) : "";
    if (bought) {
      trace.add("want", want);  // before what was chosen, which is the wrong thing to copy
    }
    if (!chosen_.empty()) {
      std::string held;
      for (const auto& [group, value] : chosen_) {
        held += (held.empty() ? "" : ", ") + value;
      }
      trace.add("hold", held);
    }
    if (bought) {
      trace.add("got", reached(step, want));
    }
    return trace;
  }

 private:
  [[nodiscard]] const PageView& page() const { return reader_.page(); }

  void follow(const ParsedAction& action, const PageView& before, bool chose) {
    if (action.name == "search") {
      query_ = action.argument;
    }
    if (chose) {
      set_item(chosen_, group_of(before, action.argument), action.argument);
    } else if (page().kind == PageKind::kItem && before.kind == PageKind::kResults) {
      item_ = action.argument;
      shown_.clear();
      add_words_of(page().title, shown_);
    } else if (page().kind == PageKind::kSubPage) {
      sub_page_ = action.argument;
      add_words_of(join(page().body, " "), shown_);
    } else if (page().kind == PageKind::kSearch || page().kind == PageKind::kResults) {
      chosen_.clear();
    }
  }
  [[nodiscard]] std::string_view effect(bool chose) {
    if (page().kind == PageKind::kDone) {
      return effects::kDone;
    }
    if (chose) {
      return effects::kMoved;
    }
    const bool fresh = seen_.insert(key()).second && page().kind != PageKind::kSearch;
    return fresh ? effects::kNew : effects::kAgain;
  }
  /// The option a value belongs to, by number: names are not always told from values.
  static std::string group_of(const PageView& page, const std::string& value) {
    for (std::size_t i = 0; i < page.options.size(); ++i) {
      for (const std::string& known : page.options[i].values) {
        if (known == value) {
          return fmt::format("{}", i);
        }
      }
    }
    return "";
  }
  [[nodiscard]] std::string item_name() const {
    return reader_.is_abstract() ? "item " + item_ : item_;
  }
  [[nodiscard]] std::string place() const {
    switch (page().kind) {
      case PageKind::kSearch:
        return "search page";
      case PageKind::kResults:
        return fmt::format("page {}", page().page_number);
      case PageKind::kItem:
        return item_name();
      case PageKind::kSubPage:
        return fmt::format("{} of {}", sub_page_, item_name());
      case PageKind::kDone:
        break;
    }
    return item_name();
  }
  /// What tells pages with contents of their own apart.
  [[nodiscard]] std::string key() const {
    return page().kind == PageKind::kResults ? fmt::format("{} {}", place(), query_) : place();
  }
  /// What was asked for that this page, of an item or below one, shows.
  [[nodiscard]] std::string met_here() const {
    std::set<std::string> shown;
    add_words_of(page().title, shown);
    add_words_of(join(page().body, " "), shown);
    for (const ShownOption& option : page().options) {
      add_words_of(join(option.values, " "), shown);
    }
    std::vector<std::string> met;
    for (const std::string& word : content_words(instruction_)) {
      if (shown.contains(word)) {
        met.push_back(word);
      }
    }
    return met.empty() ? "nothing" : join(met, " ");
  }

  /// What is left of them without what the purchase missed.
  [[nodiscard]] std::string reached(const Transition& step, const std::string& want) const {
    if (step.reward >= 1) {
      return want;
    }
    std::vector<std::string> met = wanted_span(instruction_);
    if (const std::string missed = info_of(step, "missed"); !missed.empty()) {
      remove_words(met, missed);
    } else if (info_of(step, "r_type").empty()) {
      const std::vector<std::string> content = content_words(instruction_);
      std::erase_if(met, [&](const std::string& word) {
        const std::string plain = plain_word(word);
        return std::ranges::find(content, plain) != content.end() && !is_shown(plain);
      });
    }
    std::string got = elements(met, info_of(step, "r_price") != "false" && price_limit(instruction_));
    if (info_of(step, "type_fits") == "false") {
      got = "another kind, " + got;
    }
    return got == want ? got + ", not all" : got;
  }
  [[nodiscard]] bool is_shown(const std::string& word) const {
    if (shown_.contains(word)) {
      return true;
    }
    for (const auto& [group, value] : chosen_) {
      std::set<std::string> said;
      add_words_of(value, said);
      if (said.contains(word)) {
        return true;
      }
    }
    return false;
  }

  EpisodeReader reader_;
  std::string instruction_;
  std::string query_;
  std::string item_;
  std::string sub_page_;
  TextDict chosen_;              ///< values by number of their option
  std::set<std::string> seen_;   ///< places
  std::set<std::string> shown_;  ///< words of the item's title and sub pages
};

class WebshopExplainer final : public Explainer {
 public:
  void explain(Trajectory& trajectory) const override {
    check_world(trajectory, "webshop");
    if (trajectory.steps.empty()) {
      return;
    }
    Walk walk(trajectory);
    for (Transition& step : trajectory.steps) {
      step.reasoning_trace = to_text(walk.take(step));
    }
  }
};

}  // namespace

std::unique_ptr<Explainer> make_explainer() {
  return std::make_unique<WebshopExplainer>();
}

}  // namespace dreamgym::webshop
