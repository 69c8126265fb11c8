#include "dreamgym/curriculum/prompted_task_generator.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/curriculum/internal/variation_pool.h"

namespace dreamgym {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kSelectionTokens = 200;

std::string first_words(const std::string& domain) {
  return domain.empty() ? "" : "The tool: " + domain + "\n";
}

std::string place_text(const Task& seed, std::size_t max_bytes) {
  return shorten(seed.settings.at(task_settings::kFirstObservation), max_bytes);
}

std::string candidates_schema() {
  return Json{{"type", "object"},
              {"properties", {{"tasks", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
              {"required", {"tasks"}},
              {"additionalProperties", false}}
      .dump();
}

std::string selection_schema() {
  return Json{{"type", "object"},
              {"properties", {{"selection", {{"type", "integer"}}}, {"reasoning", {{"type", "string"}}}}},
              {"required", {"selection", "reasoning"}},
              {"additionalProperties", false}}
      .dump();
}

// The texts of the answer; the reason if it has none.
Expected<std::vector<std::string>, std::string> read_candidates(const Json& json) {
  const auto list = json.find("tasks");
  if (list == json.end() || !list->is_array() || list->empty()) {
    return Unexpected<std::string>("\"tasks\" is no list of texts, or an empty one");
  }
  std::vector<std::string> tasks;
  for (const Json& entry : *list) {
    if (!entry.is_string()) {
      return Unexpected<std::string>("an entry of \"tasks\" is no text");
    }
    tasks.push_back(entry.get<std::string>());
  }
  return tasks;
}

std::optional<std::string> wrong_selection(const Json& json, std::size_t num_candidates) {
  const auto found = json.find("selection");
  const bool good = found != json.end() && found->is_number_integer() && found->get<std::int64_t>() >= 1 &&
                    found->get<std::int64_t>() <= static_cast<std::int64_t>(num_candidates);
  return good ? std::nullopt
              : std::optional(fmt::format("\"selection\" is no number from 1 to {}", num_candidates));
}

}  // namespace

// What is left of a seed's candidates.
struct PromptedTaskGenerator::Candidates {
  const Task* seed = nullptr;
  std::vector<Task> tasks;
};

PromptedTaskGenerator::PromptedTaskGenerator(ChatModel& model,
                                             TaskRevision revise,
                                             PromptedTaskOptions options)
    : model_(model), revise_(std::move(revise)), options_(std::move(options)) {
  check(options_.candidates > 0, "at least one candidate is asked for");
}

std::vector<Task> PromptedTaskGenerator::vary(std::span<const Task> seeds, const Rng& rng) {
  std::vector<Task> placed;
  std::ranges::copy_if(seeds, std::back_inserter(placed), [](const Task& seed) {
    return seed.settings.contains(task_settings::kFirstObservation);
  });
  std::vector<Candidates> pools = propose(placed, rng);
  select(pools, rng);
  std::vector<Task> tasks;
  for (Candidates& pool : pools) {
    for (Task& task : pool.tasks) {
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

std::vector<PromptedTaskGenerator::Candidates> PromptedTaskGenerator::propose(std::span<const Task> seeds,
                                                                              const Rng& rng) {
  std::string others;
  for (const Task& seed : seeds) {
    others += "- " + seed.instruction + "\n";
  }
  std::vector<ChatPrompt> prompts;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    ChatPrompt prompt;
    prompt.messages = {
        {"system",
         first_words(options_.domain) +
             "You write tasks for an agent that learns to use this tool. Given a task and the state it starts in, "
             "write variations of it: other things to reach from the same state, as hard or a little harder, that "
             "can really be done there, in the same wording as the tasks shown. No copies.\n"
             "Answer with one JSON object and nothing else: {\"tasks\": [\"...\", ...]}"},
        {"user",
         fmt::format("Tasks of this tool:\n{}\nState at the start:\n{}\n\nTask: {}\n\nWrite {} variations.",
                     others,
                     place_text(seeds[i], options_.max_place_bytes),
                     seeds[i].instruction,
                     options_.candidates)}};
    prompt.temperature = options_.temperature;
    prompt.max_tokens = options_.max_reply_tokens;
    prompt.seed = rng.fork("candidates", i).next();
    prompt.schema_name = "tasks";
    prompt.json_schema = candidates_schema();
    prompts.push_back(std::move(prompt));
  }
  const auto replies = ask_json(
      model_,
      prompts,
      [](std::size_t, const Json& json) -> std::optional<std::string> {
        const auto read = read_candidates(json);
        return read ? std::nullopt : std::optional(read.error());
      },
      counts_.replies);
  std::vector<Candidates> pools;
  curriculum_internal::VariationPool known(revise_, counts_.candidates);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    Candidates pool{&seeds[i], {}};
    counts_.failed_seeds += replies[i] ? 0 : 1;
    const auto proposed = replies[i] ? *read_candidates(replies[i]->json) : std::vector<std::string>();
    for (std::size_t c = 0; c < std::min(proposed.size(), options_.candidates); ++c) {
      ++counts_.candidates.proposed;
      if (auto task = known.accept(seeds[i], proposed[c], rng.fork("world", i).fork("candidate", c).next())) {
        pool.tasks.push_back(*std::move(task));
      }
    }
    pools.push_back(std::move(pool));
  }
  return pools;
}

void PromptedTaskGenerator::select(std::vector<Candidates>& pools, const Rng& rng) {
  std::vector<Candidates*> asked;
  std::vector<ChatPrompt> prompts;
  for (Candidates& pool : pools) {
    if (pool.tasks.size() < 2) {
      continue;  // nothing to choose
    }
    std::string list;
    for (std::size_t c = 0; c < pool.tasks.size(); ++c) {
      list += fmt::format("{}. {}\n", c + 1, pool.tasks[c].instruction);
    }
    ChatPrompt prompt;
    prompt.messages = {
        {"system",
         first_words(options_.domain) +
             "An agent that learns to use this tool needs one more task. Choose the best candidate: challenging but "
             "feasible from the state shown, clearly and correctly worded, a real variation of the original and not "
             "a trivial one, and something a person would ask for.\n"
             "Answer with one JSON object and nothing else: "
             "{\"selection\": its number, \"reasoning\": one or two sentences}"},
        {"user",
         fmt::format("Original task: {}\n\nState at the start:\n{}\n\nCandidates:\n{}",
                     pool.seed->instruction,
                     place_text(*pool.seed, options_.max_place_bytes),
                     list)}};
    prompt.temperature = 0;
    prompt.max_tokens = kSelectionTokens;
    prompt.seed = rng.fork("selection", asked.size()).next();
    prompt.schema_name = "selection";
    prompt.json_schema = selection_schema();
    prompts.push_back(std::move(prompt));
    asked.push_back(&pool);
  }
  const auto replies = ask_json(
      model_,
      prompts,
      [&](std::size_t i, const Json& json) { return wrong_selection(json, asked[i]->tasks.size()); },
      counts_.replies);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::vector<Task>& tasks = asked[i]->tasks;
    counts_.unchosen += tasks.size() - (replies[i] ? 1 : 0);
    counts_.failed_seeds += replies[i] ? 0 : 1;
    tasks = replies[i] ? std::vector<Task>{tasks[replies[i]->json["selection"].get<std::size_t>() - 1]}
                       : std::vector<Task>{};
  }
}

}  // namespace dreamgym
