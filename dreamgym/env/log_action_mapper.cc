#include "dreamgym/env/log_action_mapper.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/data/entities.h"

namespace dreamgym {
namespace {

/// Texts around the slots: one more than slots.
using Frame = std::vector<std::string>;

struct Pattern {
  Frame frame;
  std::vector<std::set<std::string>> words;  ///< [slots] that stood there
  std::size_t count = 0;
};

using Patterns = std::vector<Pattern>;

Patterns learn(std::span<const Trajectory> logs, std::size_t min_count) {
  std::map<Frame, Pattern> found;
  for (const Trajectory& episode : logs) {
    for (const Transition& step : episode.steps) {
      if (!step.action_valid || step.action.empty()) {
        continue;
      }
      const std::string_view text = step.action;
      Frame frame;
      std::vector<std::string> words;
      std::size_t from = 0;
      for (const EntitySpan& span : entity_spans(text)) {
        frame.emplace_back(text.substr(from, span.begin - from));
        words.emplace_back(text.substr(span.begin, span.word));
        from = span.begin + span.length;
      }
      frame.emplace_back(text.substr(from));
      Pattern& pattern = found[frame];
      pattern.frame = frame;
      pattern.words.resize(words.size());
      ++pattern.count;
      for (std::size_t i = 0; i < words.size(); ++i) {
        pattern.words[i].insert(words[i]);
      }
    }
  }
  Patterns patterns;
  for (auto& [frame, pattern] : found) {
    if (pattern.count >= min_count) {
      patterns.push_back(std::move(pattern));
    }
  }
  std::ranges::stable_sort(patterns, std::greater<>(), &Pattern::count);
  return patterns;
}

std::string word_of(const std::string& thing) { return thing.substr(0, thing.rfind(' ')); }

class LogActionMapper final : public ActionMapper {
 public:
  LogActionMapper(std::shared_ptr<const Patterns> patterns, std::size_t max_candidates)
      : patterns_(std::move(patterns)), max_candidates_(max_candidates) {}

  void reset(std::string_view instruction, std::string_view observation) override {
    things_.clear();
    note(instruction);
    note(observation);
  }

  void observe(std::string_view /*action*/, std::string_view observation) override {
    note(observation);
  }

  [[nodiscard]] std::vector<std::string> candidates() const override {
    std::vector<std::string> out;
    std::set<std::string> known;
    for (const Pattern& pattern : *patterns_) {
      fill(pattern, 0, pattern.frame.front(), out, known);
    }
    if (out.empty()) {  // nothing that the patterns ask for has been named
      out.push_back(patterns_->front().frame.front());
    }
    return out;
  }

 private:
  /// The latest things come first.
  void note(std::string_view text) {
    for (std::string& thing : entities_of(text)) {
      std::erase(things_, thing);
      things_.insert(things_.begin(), std::move(thing));
    }
  }

  void fill(const Pattern& pattern,
            std::size_t slot,
            const std::string& text,
            std::vector<std::string>& out,
            std::set<std::string>& known) const {
    if (out.size() >= max_candidates_) {
      return;
    }
    if (slot == pattern.words.size()) {
      if (!text.empty() && known.insert(text).second) {
        out.push_back(text);
      }
      return;
    }
    for (const std::string& thing : things_) {
      if (pattern.words[slot].contains(word_of(thing))) {
        fill(pattern, slot + 1, text + thing + pattern.frame[slot + 1], out, known);
      }
    }
  }

  std::shared_ptr<const Patterns> patterns_;
  std::size_t max_candidates_;
  std::vector<std::string> things_;
};

class LogActionMapperFactory final : public ActionMapperFactory {
 public:
  LogActionMapperFactory(std::span<const Trajectory> logs, const LogActionOptions& options)
      : patterns_(std::make_shared<const Patterns>(learn(logs, options.min_count))),
        max_candidates_(options.max_candidates) {
    if (patterns_->empty()) {
      throw Error(ErrorKind::kInvalidArgument,
                  "the logs hold no action from which candidates could be made",
                  "give logs with at least one valid step");
    }
  }

  [[nodiscard]] std::unique_ptr<ActionMapper> create() const override {
    return std::make_unique<LogActionMapper>(patterns_, max_candidates_);
  }

 private:
  std::shared_ptr<const Patterns> patterns_;
  std::size_t max_candidates_;
};

}  // namespace

std::unique_ptr<ActionMapperFactory> make_log_action_mapper_factory(
    std::span<const Trajectory> logs, const LogActionOptions& options) {
  return std::make_unique<LogActionMapperFactory>(logs, options);
}

}  // namespace dreamgym
