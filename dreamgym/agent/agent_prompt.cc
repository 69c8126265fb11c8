#include "dreamgym/agent/agent_prompt.h"

#include "dreamgym/llm/markers.h"
#include "dreamgym/llm/require_marker.h"

namespace dreamgym {
namespace {

void append(std::vector<TokenId>& out, const std::vector<TokenId>& ids) {
  out.insert(out.end(), ids.begin(), ids.end());
}

}  // namespace

AgentPrompt::AgentPrompt(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)),
      agent_(require_marker(*tokenizer_, markers::kAgent)),
      task_(require_marker(*tokenizer_, markers::kTask)),
      state_(require_marker(*tokenizer_, markers::kState)),
      action_(require_marker(*tokenizer_, markers::kAction)),
      observation_(require_marker(*tokenizer_, markers::kObservation)) {}

std::vector<TokenId> AgentPrompt::begin(std::string_view instruction,
                                        std::string_view observation) const {
  std::vector<TokenId> out = {agent_, task_};
  append(out, tokenizer_->encode(instruction));
  out.push_back(state_);
  append(out, tokenizer_->encode(observation));
  out.push_back(action_);
  return out;
}

std::vector<TokenId> AgentPrompt::action(std::string_view action) const {
  std::vector<TokenId> out = tokenizer_->encode(action);
  out.push_back(observation_);
  return out;
}

std::vector<TokenId> AgentPrompt::observation(std::string_view observation,
                                              std::string_view instruction) const {
  std::vector<TokenId> out = tokenizer_->encode(observation);
  out.push_back(task_);
  append(out, tokenizer_->encode(instruction));
  out.push_back(action_);
  return out;
}

Action AgentPrompt::parse_action(std::span<const TokenId> sampled) const {
  if (!sampled.empty() && sampled.back() == observation_) {
    sampled = sampled.first(sampled.size() - 1);
  }
  return tokenizer_->decode(sampled);
}

}  // namespace dreamgym
