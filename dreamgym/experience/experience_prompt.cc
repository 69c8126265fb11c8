#include "dreamgym/experience/experience_prompt.h"

#include <algorithm>
#include <limits>

#include "dreamgym/llm/markers.h"
#include "dreamgym/llm/require_marker.h"

namespace dreamgym {
namespace {

void append(std::vector<TokenId>& out, const std::vector<TokenId>& ids) {
  out.insert(out.end(), ids.begin(), ids.end());
}

}  // namespace

ExperiencePrompt::ExperiencePrompt(std::shared_ptr<const Tokenizer> tokenizer,
                                   std::size_t max_demonstration_tokens)
    : tokenizer_(std::move(tokenizer)),
      max_demonstration_tokens_(max_demonstration_tokens),
      dream_(require_marker(*tokenizer_, markers::kDream)),
      task_(require_marker(*tokenizer_, markers::kTask)),
      state_(require_marker(*tokenizer_, markers::kState)),
      action_(require_marker(*tokenizer_, markers::kAction)),
      trace_(require_marker(*tokenizer_, markers::kTrace)),
      observation_(require_marker(*tokenizer_, markers::kObservation)),
      demonstration_(require_marker(*tokenizer_, markers::kDemonstration)),
      continue_(require_marker(*tokenizer_, markers::kContinue)),
      success_(require_marker(*tokenizer_, markers::kSuccess)),
      failure_(require_marker(*tokenizer_, markers::kFailure)) {}

std::vector<TokenId> ExperiencePrompt::begin(std::string_view instruction,
                                             std::string_view observation) const {
  std::vector<TokenId> out = {dream_, task_};
  append(out, tokenizer_->encode(instruction));
  out.push_back(state_);
  append(out, tokenizer_->encode(observation));
  return out;
}

std::vector<TokenId> ExperiencePrompt::demonstrations(std::span<const Demonstration> shown) const {
  return shown_within(shown, demonstration_, max_demonstration_tokens_);
}

std::vector<TokenId> ExperiencePrompt::recollections(std::span<const Demonstration> shown) const {
  return shown_within(shown, state_, std::numeric_limits<std::size_t>::max());
}

std::vector<TokenId> ExperiencePrompt::shown_within(std::span<const Demonstration> shown,
                                                    TokenId marker,
                                                    std::size_t max_tokens) const {
  std::vector<TokenId> out;
  for (const Demonstration& demonstration : shown) {
    std::vector<TokenId> one = {marker};
    append(one, tokenizer_->encode(demonstration.action));
    one.push_back(observation_);
    append(one, tokenizer_->encode(demonstration.observation));
    one.resize(std::min(one.size(), max_tokens));
    append(out, one);
  }
  return out;
}

std::vector<TokenId> ExperiencePrompt::reminder(std::string_view instruction) const {
  std::vector<TokenId> out = {task_};
  append(out, tokenizer_->encode(instruction));
  return out;
}

std::vector<TokenId> ExperiencePrompt::query(std::string_view action) const {
  std::vector<TokenId> out = {action_};
  append(out, tokenizer_->encode(action));
  out.push_back(trace_);
  return out;
}

std::vector<TokenId> ExperiencePrompt::trace(std::string_view reasoning_trace) const {
  std::vector<TokenId> out = tokenizer_->encode(reasoning_trace);
  out.push_back(observation_);
  return out;
}

std::vector<TokenId> ExperiencePrompt::outcome(std::string_view observation, EndFlag flag) const {
  std::vector<TokenId> out = tokenizer_->encode(observation);
  out.push_back(flag_token(flag));
  return out;
}

TokenId ExperiencePrompt::flag_token(EndFlag flag) const {
  switch (flag) {
    case EndFlag::kContinue:
      return continue_;
    case EndFlag::kSuccess:
      return success_;
    case EndFlag::kFailure:
      return failure_;
  }
  return continue_;
}

std::vector<TokenId> ExperiencePrompt::markers() const {
  return {dream_, task_, state_, action_, trace_, demonstration_, observation_, continue_, success_, failure_};
}

bool ExperiencePrompt::is_text(std::span<const TokenId> tokens) const {
  const std::vector<TokenId> structural = markers();
  return std::ranges::none_of(tokens, [&](TokenId id) {
    return std::ranges::find(structural, id) != structural.end();
  });
}

Expected<DreamedStep, std::string> ExperiencePrompt::parse(std::span<const TokenId> reply) const {
  const auto marker = std::find(reply.begin(), reply.end(), observation_);
  if (marker == reply.end()) {
    return Unexpected<std::string>("the reply has no observation");
  }
  const TokenId last = reply.back();
  if (last != continue_ && last != success_ && last != failure_) {
    return Unexpected<std::string>("the reply has no end flag");
  }
  const std::span<const TokenId> trace(reply.begin(), marker);
  const std::span<const TokenId> observation(marker + 1, reply.end() - 1);
  if (!is_text(trace) || !is_text(observation)) {
    return Unexpected<std::string>("the reply has a marker where text belongs");
  }
  DreamedStep step;
  step.reasoning_trace = tokenizer_->decode(trace);
  step.observation = tokenizer_->decode(observation);
  step.flag = last == success_   ? EndFlag::kSuccess
              : last == failure_ ? EndFlag::kFailure
                                 : EndFlag::kContinue;
  return step;
}

}  // namespace dreamgym
