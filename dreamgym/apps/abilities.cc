#include "dreamgym/apps/abilities.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/apps/pretrain.h"
#include "dreamgym/experience/experience_prompt.h"
#include "dreamgym/experience/training_data.h"
#include "dreamgym/llm/token_trie.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/worlds/invented/corpus.h"
#include "dreamgym/worlds/invented/probes.h"

namespace dreamgym {
namespace {

constexpr std::uint64_t kProbeSeed = 20;

double answered(LanguageModel& model,
                const ExperiencePrompt& prompt,
                const std::vector<invented::Probe>& probes) {
  std::vector<GenerationRequest> requests;
  for (const invented::Probe& probe : probes) {
    GenerationRequest request;
    const auto append = [&](const std::vector<TokenId>& ids) {
      request.context.insert(request.context.end(), ids.begin(), ids.end());
    };
    const auto& steps = probe.episode.steps;
    append(prompt.begin(probe.episode.task.instruction, steps.front().observation.text));
    for (std::size_t t = 0; t < steps.size(); ++t) {
      append(prompt.query(steps[t].action));
      if (t + 1 < steps.size() || !probe.asks_trace) {
        append(prompt.trace(steps[t].reasoning_trace));
      }
      if (t + 1 < steps.size()) {
        append(prompt.outcome(steps[t].next_observation.text, end_flag(steps[t])));
      }
    }
    request.temperature = 0;
    request.max_tokens = 200;
    request.stop = prompt.flags();
    request.stop.push_back(prompt.observation_marker());
    requests.push_back(std::move(request));
  }
  const auto replies = model.generate(requests);
  std::size_t right = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    std::span<const TokenId> reply = replies[i].tokens;
    if (!reply.empty()) {
      reply = reply.first(reply.size() - 1);
    }
    right += prompt.tokenizer().decode(reply) == probes[i].expected ? 1 : 0;
  }
  return probes.empty() ? 0.0 : static_cast<double>(right) / static_cast<double>(probes.size());
}

bool is_deed(std::string_view action) {
  constexpr std::array<std::string_view, 7> kDeeds = {
      "take ", "put ", "move ", "clean ", "heat ", "cool ", "use "};
  return std::ranges::any_of(kDeeds, [&](std::string_view verb) { return action.starts_with(verb); });
}

GenerationRequest choice(std::vector<TokenId> context,
                         const std::vector<std::string>& actions,
                         const AgentPrompt& prompt) {
  std::vector<std::vector<TokenId>> choices;
  for (const std::string& action : actions) {
    choices.push_back(prompt.action(action));
  }
  GenerationRequest request;
  request.context = std::move(context);
  request.temperature = 0;
  request.max_tokens = 200;
  request.choices = std::make_shared<TokenTrie>(choices);
  return request;
}

// The deeds of demonstrations in houses, each to be chosen after the demonstrator's own steps.
double acted(LanguageModel& model, const AgentPrompt& prompt, std::size_t wanted) {
  const invented::InventedCorpus corpus({}, kProbeSeed);
  std::vector<GenerationRequest> requests;
  std::vector<std::string> expected;
  for (std::uint64_t i = 0; requests.size() < wanted; ++i) {
    const Trajectory story = corpus.at(i);
    if (!invented::is_demonstration(story) || story.task.source != "invented/houses") {
      continue;
    }
    std::vector<TokenId> context =
        prompt.begin(story.task.instruction, story.steps.front().observation.text);
    for (const Transition& step : story.steps) {
      const auto& possible = step.observation.admissible;
      if (requests.size() == wanted || context.size() > kPretrainSequenceTokens) {
        break;
      }
      if (is_deed(step.action) && std::ranges::find(possible, step.action) != possible.end()) {
        requests.push_back(choice(context, possible, prompt));
        expected.push_back(step.action);
      }
      for (const auto& turn :
           {prompt.action(step.action),
            prompt.observation(step.next_observation.text, story.task.instruction)}) {
        context.insert(context.end(), turn.begin(), turn.end());
      }
    }
  }
  const auto replies = model.generate(requests);
  std::size_t right = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    right += prompt.parse_action(replies[i].tokens) == expected[i] ? 1 : 0;
  }
  return wanted == 0 ? 0.0 : static_cast<double>(right) / static_cast<double>(wanted);
}

}  // namespace

Abilities measure_abilities(const ModelFiles& model, std::size_t probes, std::size_t threads) {
  GenerationEngine engine(model.weights, model.tokenizer, {.num_threads = threads});
  const ExperiencePrompt prompt(model.tokenizer, kPretrainDemonstrationTokens);
  const auto share = [&](invented::Ability ability) {
    return answered(
        engine, prompt, invented::make_probes(ability, {.count = probes}, kProbeSeed));
  };
  return {share(invented::Ability::kCopy),
          share(invented::Ability::kRecall),
          share(invented::Ability::kTracking),
          acted(engine, AgentPrompt(model.tokenizer), probes),
          probes};
}

}  // namespace dreamgym
