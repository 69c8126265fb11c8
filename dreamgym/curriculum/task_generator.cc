#include "dreamgym/curriculum/task_generator.h"

#include <map>

#include "dreamgym/base/text.h"
#include "dreamgym/curriculum/internal/variation_pool.h"
#include "dreamgym/llm/markers.h"
#include "dreamgym/llm/require_marker.h"

namespace dreamgym {
namespace {

using task_settings::kFirstObservation;

std::vector<TokenId> variation_prompt(const Tokenizer& tokenizer,
                                      std::string_view first_observation,
                                      std::string_view seed_instruction) {
  std::vector<TokenId> out = {require_marker(tokenizer, markers::kVary),
                              require_marker(tokenizer, markers::kState)};
  const auto state = tokenizer.encode(first_observation);
  out.insert(out.end(), state.begin(), state.end());
  const TokenId task = require_marker(tokenizer, markers::kTask);
  out.push_back(task);
  const auto seed = tokenizer.encode(seed_instruction);
  out.insert(out.end(), seed.begin(), seed.end());
  out.push_back(task);
  return out;
}

}  // namespace

TaskRevision grammar_revision(TaskGrammar grammar) {
  return [grammar = std::move(grammar)](
             const Task& seed, const std::string& instruction) -> Expected<Task, std::string> {
    if (auto valid = grammar.validate(instruction, seed); !valid) {
      return Unexpected<std::string>(valid.error());
    }
    Task task = seed;
    task.instruction = instruction;
    task.settings = {{kFirstObservation, seed.settings.at(kFirstObservation)}};  // the dream plays it; no engine knows its goal
    return task;
  };
}

TaskGenerator::TaskGenerator(LanguageModel& model,
                             std::shared_ptr<const Tokenizer> tokenizer,
                             TaskRevision revise,
                             TaskGeneratorOptions options)
    : model_(model),
      tokenizer_(std::move(tokenizer)),
      revise_(std::move(revise)),
      options_(options) {}

std::vector<Task> TaskGenerator::vary(std::span<const Task> seeds, const Rng& rng) {
  const TokenId end = require_marker(*tokenizer_, markers::kEnd);
  std::vector<GenerationRequest> requests;
  std::vector<const Task*> parents;
  for (const Task& seed : seeds) {
    const auto first = seed.settings.find(kFirstObservation);
    if (first == seed.settings.end()) {
      continue;
    }
    for (std::size_t p = 0; p < options_.proposals_per_seed; ++p) {
      GenerationRequest request;
      request.context = variation_prompt(*tokenizer_, task_place(seed), seed.instruction);
      request.max_tokens = options_.max_task_tokens;
      request.temperature = options_.temperature;
      request.stop = {end};
      request.seed = rng.fork("proposal", requests.size()).next();
      requests.push_back(std::move(request));
      parents.push_back(&seed);
    }
  }
  const auto replies = model_.generate(requests);
  std::vector<Task> tasks;
  curriculum_internal::VariationPool pool(revise_, counts_);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    ++counts_.proposed;
    const auto& tokens = replies[i].tokens;
    if (tokens.empty() || tokens.back() != end) {
      ++counts_.malformed;
      continue;
    }
    const std::string proposed = tokenizer_->decode(std::span<const TokenId>(tokens).first(tokens.size() - 1));
    if (auto task = pool.accept(*parents[i], proposed, rng.fork("world", i).next())) {
      tasks.push_back(*std::move(task));
    }
  }
  return tasks;
}

std::vector<TrainingSequence> TaskGenerator::training_sequences(const Tokenizer& tokenizer,
                                                                const std::vector<Task>& tasks,
                                                                const Rng& rng) {
  std::map<std::string, std::vector<const Task*>> places;
  std::vector<const Task*> all;
  for (const Task& task : tasks) {
    const auto first = task.settings.find(kFirstObservation);
    if (first != task.settings.end()) {
      places[task_place(task)].push_back(&task);
      all.push_back(&task);
    }
  }
  Rng stream = rng.fork("variation pairs");
  const TokenId end = require_marker(tokenizer, markers::kEnd);
  std::vector<TrainingSequence> sequences;
  for (const Task* task : all) {
    const std::string place = task_place(*task);
    std::vector<const Task*> siblings;
    for (const Task* other : places.at(place)) {
      if (other->instruction != task->instruction) {
        siblings.push_back(other);
      }
    }
    const Task* seed = stream.choose(siblings.empty() ? all : siblings);
    TrainingSequence sequence;
    sequence.trunk.append(
        variation_prompt(tokenizer, place, seed->instruction), LossPart::kNone, 0.0F);
    sequence.trunk.append(tokenizer.encode(task->instruction), LossPart::kTask, 1.0F);
    sequence.trunk.append(end, LossPart::kTask, 1.0F);
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

}  // namespace dreamgym
