#include "dreamgym/worlds/webshop/explainer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "dreamgym/base/text.h"
#include "dreamgym/data/reasoning_trace.h"
#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/session.h"
#include "dreamgym/worlds/world.h"

namespace dreamgym::webshop {
namespace {

double number_in(const Transition& step, const char* key) {
  double number = 0;
  if (const auto found = step.info.find(key); found != step.info.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  }
  return number;
}

/// Follows one episode.
class Walk {
 public:
  explicit Walk(std::string_view first_observation) { page_ = read_page(first_observation); }

  ReasoningTrace take(const Transition& step) {
    ReasoningTrace trace;
    if (!step.action_valid) {
      trace.add("effect", std::string(effects::kInvalid));
      return trace;
    }
    const ParsedAction action = parse_action(step.action);
    const PageView before = std::exchange(page_, read_page(step.next_observation.text));
    const bool chose = before.kind == PageKind::kItem && page_.kind == PageKind::kItem;
    follow(action, before, chose);
    if (page_.kind == PageKind::kDone) {
      trace.add("effect", std::string(effects::kDone));
    } else if (chose) {
      trace.add("effect", std::string(effects::kMoved));
    } else {
      const bool fresh = seen_.insert(key()).second && page_.kind != PageKind::kSearch;
      trace.add("effect", std::string(fresh ? effects::kNew : effects::kAgain));
    }
    trace.add("at", place());
    if (!chosen_.empty()) {
      std::string held;
      for (const auto& [group, value] : chosen_) {
        held += (held.empty() ? "" : ", ") + value;
      }
      trace.add("hold", held);
    }
    if (page_.kind == PageKind::kDone) {
      add_outcome(step, trace);
    }
    return trace;
  }

 private:
  void follow(const ParsedAction& action, const PageView& before, bool chose) {
    if (action.name == "search") {
      query_ = action.argument;
    }
    if (chose) {
      set_item(chosen_, group_of(before, action.argument), action.argument);
    } else if (page_.kind == PageKind::kItem && before.kind == PageKind::kResults) {
      item_ = action.argument;
    } else if (page_.kind == PageKind::kSubPage) {
      sub_page_ = action.argument;
    } else if (page_.kind == PageKind::kSearch || page_.kind == PageKind::kResults) {
      chosen_.clear();
    }
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
  [[nodiscard]] std::string place() const {
    switch (page_.kind) {
      case PageKind::kSearch:
        return "search";
      case PageKind::kResults:
        return fmt::format("results {}", page_.page_number);
      case PageKind::kItem:
        return "item " + item_;
      case PageKind::kSubPage:
        return fmt::format("{} of {}", sub_page_, item_);
      case PageKind::kDone:
        break;
    }
    return "bought " + item_;
  }
  /// What tells pages with contents of their own apart.
  [[nodiscard]] std::string key() const {
    return page_.kind == PageKind::kResults ? fmt::format("{} {}", place(), query_) : place();
  }
  static void add_outcome(const Transition& step, ReasoningTrace& trace) {
    const double w_price = number_in(step, "w_price");
    if (!(w_price > 0)) {
      trace.add("want", "reward 1");
      trace.add("got", fmt::format("reward {}", step.reward));
      return;
    }
    const auto count = [&](double share) { return std::lround(share / w_price); };
    const double w_att = number_in(step, "w_att");
    const double w_option = number_in(step, "w_option");
    const auto price = step.info.find("r_price");
    const bool fits = price != step.info.end() && price->second == "true";
    trace.add("want",
              fmt::format(
                  "type 1, attributes {}, options {}, price fits", count(w_att), count(w_option)));
    trace.add("got",
              fmt::format("type {}, attributes {}, options {}, price {}",
                          number_in(step, "r_type"),
                          count(w_att * number_in(step, "r_att")),
                          count(w_option * number_in(step, "r_option")),
                          fits ? "fits" : "too high"));
  }

  PageView page_;
  std::string query_;
  std::string item_;
  std::string sub_page_;
  TextDict chosen_;  ///< values by number of their option
  std::set<std::string> seen_;
};

class WebshopExplainer final : public Explainer {
 public:
  void explain(Trajectory& trajectory) const override {
    check_world(trajectory, "webshop");
    if (trajectory.steps.empty()) {
      return;
    }
    Walk walk(trajectory.steps.front().observation.text);
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
