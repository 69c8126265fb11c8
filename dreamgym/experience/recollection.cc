#include "dreamgym/experience/recollection.h"

#include <algorithm>
#include <optional>

#include "dreamgym/base/text.h"
#include "dreamgym/data/entities.h"
#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym {
namespace {

constexpr std::size_t kLongestListing = 160;  // bytes; longer ones are no entry of a list

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The text holds the words, not only as a part of other words.
bool names(std::string_view text, std::string_view some_words) {
  const auto is_inside_a_word = [&](std::size_t i) {
    return i < text.size() && (is_lower(text[i]) || is_digit(text[i]));
  };
  for (std::size_t at = text.find(some_words); at != std::string_view::npos;
       at = text.find(some_words, at + 1)) {
    if ((at == 0 || !is_inside_a_word(at - 1)) && !is_inside_a_word(at + some_words.size())) {
      return true;
    }
  }
  return false;
}

// The trace says, or its observation shows, all there is at a place that the action names.
bool states_contents(const ReasoningTrace& trace, std::string_view action) {
  const std::string at = trace.find("at").value_or("");
  if (at.empty() || !names(action, at)) {
    return false;
  }
  const auto effect = trace.find("effect");
  return effect == effects::kNew || effect == effects::kAgain || trace.find("here").has_value();
}

// What the statement names beside the place and the things of the action; "" if the action is about no thing.
std::string rest_of(std::string_view statement, std::string_view at, std::string_view action) {
  if (entities_beside(action, at, "").empty()) {
    return "";
  }
  const std::vector<std::string> rest = entities_beside(statement, at, action);
  return " rest: " + (rest.empty() ? "nothing" : join(rest, ", "));
}

// What a text lists of a thing: from its name to the next thing of the same word ("item 1 red pen,
// item 2 ..." of item 1: "item 1 red pen"). Nothing if it is not there or nothing follows the name.
std::optional<std::string> listing_of(std::string_view text, const std::string& thing) {
  const std::vector<EntitySpan> spans = entity_spans(text);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const EntitySpan& span = spans[i];
    if (text.substr(span.begin, span.length) != thing) {
      continue;
    }
    std::size_t end = text.size();
    for (std::size_t j = i + 1; j < spans.size() && end == text.size(); ++j) {
      if (text.substr(spans[j].begin, spans[j].word) == text.substr(span.begin, span.word)) {
        end = spans[j].begin;
      }
    }
    std::string_view listed = trim(text.substr(span.begin, end - span.begin));
    while (listed.ends_with(',') || listed.ends_with(';')) {
      listed = trim(listed.substr(0, listed.size() - 1));
    }
    return listed.size() > span.length && listed.size() <= kLongestListing
               ? std::optional<std::string>(listed)
               : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Demonstration> last_listing(std::span<const PastStep> past,
                                          const std::vector<std::string>& things) {
  for (std::size_t i = past.size(); i > 0; --i) {
    for (const std::string& thing : things) {
      if (auto listed = listing_of(past[i - 1].observation, thing)) {
        return Demonstration{"", past[i - 1].action, std::move(*listed)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Demonstration> recollect(std::span<const PastStep> past,
                                     std::string_view action,
                                     std::size_t most) {
  const std::vector<std::string> wanted = entities_of(action);
  std::vector<Demonstration> found;
  for (std::size_t i = past.size(); i > 0 && found.size() < most; --i) {
    const PastStep& step = past[i - 1];
    const std::vector<std::string> named = entities_of(step.action);
    const bool shares = std::any_of(named.begin(), named.end(), [&](const std::string& entity) {
      return is_listed(wanted, entity);
    });
    const bool same = step.action == action;
    const ReasoningTrace trace =
        parse_reasoning_trace(step.reasoning_trace).value_or(ReasoningTrace{});
    const bool states = states_contents(trace, action);
    if (!shares && !same && !states) {
      continue;
    }
    std::string statement = trace.find("here").value_or(step.observation);
    if (states) {
      statement += rest_of(statement, trace.find("at").value_or(""), action);
    }
    found.push_back({"", step.action, std::move(statement)});
    if (same || states) {
      break;
    }
  }
  std::reverse(found.begin(), found.end());
  if (found.empty() && most > 0) {
    if (auto listed = last_listing(past, wanted)) {
      found.push_back(std::move(*listed));
    }
  }
  return found;
}

std::optional<Demonstration> recollect_place(std::span<const PastStep> past) {
  std::optional<std::string> place;
  for (std::size_t i = past.size(); i > 0; --i) {
    const auto trace = parse_reasoning_trace(past[i - 1].reasoning_trace);
    const auto at = trace ? trace->find("at") : std::nullopt;
    if (!at) {
      continue;
    }
    place = place ? place : at;
    const bool shows = trace->find("effect") == effects::kNew || trace->find("here").has_value();
    if (at == place && shows) {
      return Demonstration{"", past[i - 1].action, trace->find("here").value_or(past[i - 1].observation)};
    }
  }
  return std::nullopt;
}

}  // namespace dreamgym
