#include "dreamgym/apps/pretrain.h"

#include <algorithm>
#include <deque>

#include "dreamgym/agent/agent_prompt.h"
#include "dreamgym/curriculum/task_generator.h"
#include "dreamgym/experience/training_data.h"
#include "dreamgym/llm/bpe_trainer.h"
#include "dreamgym/worlds/invented/corpus.h"

namespace dreamgym {
namespace {

constexpr std::size_t kTokenizerTrajectories = 4000;
constexpr std::size_t kRememberedTransitions = 256;

BpeTokenizer learn_tokenizer(const PretrainConfig& config) {
  const Rng rng = Rng(config.seed).fork("tokenizer corpus");
  const invented::InventedCorpus corpus({}, Rng(rng).next());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kTokenizerTrajectories; ++i) {
    const Trajectory story = corpus.at(i);
    texts.push_back(story.task.instruction);
    texts.push_back(story.steps.empty() ? "" : story.steps.front().observation.text);
    for (const Transition& step : story.steps) {
      texts.push_back(step.action);
      texts.push_back(step.reasoning_trace);
      texts.push_back(step.next_observation.text);
    }
  }
  BpeTrainingConfig training;
  training.vocabulary_size = config.vocabulary_size;
  training.name_rule.min_count = static_cast<std::size_t>(-1);  // the pool is the list of names
  training.names_are_pool = true;
  return train_bpe(texts, invented::NamePool().names(), training);
}

ModelFiles fresh_model(const PretrainConfig& config) {
  const auto tokenizer = std::make_shared<const BpeTokenizer>(learn_tokenizer(config));
  TransformerConfig shape = transformer_preset(config.preset);
  shape.vocab_size = static_cast<std::int64_t>(tokenizer->vocabulary_size());
  return {initial_weights(shape, Rng(config.seed).fork("weights").next()), tokenizer};
}

// Writes update u's sequences; a pure function of (seed, u).
class CorpusWriter {
 public:
  CorpusWriter(const PretrainConfig& config, std::shared_ptr<const BpeTokenizer> tokenizer)
      : config_(config),
        tokenizer_(std::move(tokenizer)),
        experience_(tokenizer_, kPretrainDemonstrationTokens),
        agent_(tokenizer_),
        corpus_({}, Rng(config.seed).fork("corpus").next()) {}

  std::vector<TrainingSequence> write(std::size_t update) const {
    Rng rng = Rng(config_.seed).fork("update", update);
    std::vector<TrainingSequence> sequences;
    std::deque<Demonstration> seen;
    std::vector<Task> tasks;
    // Updates own disjoint stretches of the corpus; none holds this many trajectories.
    std::uint64_t index = static_cast<std::uint64_t>(update) << 20U;
    double agent_tokens = 0;
    for (std::size_t tokens = 0; tokens < config_.sft.tokens_per_update; ++index) {
      const bool acts = agent_tokens < config_.agent_share * static_cast<double>(tokens);
      const Trajectory story = acts ? next_demonstration(index) : corpus_.at(index);
      if (acts) {
        sequences.push_back(agent_.demonstration(story, kPretrainSequenceTokens, config_.agent_weight));
        agent_tokens += static_cast<double>(sequences.back().num_tokens());
      } else {
        sequences.push_back(write(story, index, seen, rng));
        remember(story, seen);
      }
      tokens += sequences.back().num_tokens();
      Task task = story.task;
      if (!story.steps.empty()) {
        task.settings[task_settings::kFirstObservation] = story.steps.front().observation.text;
        tasks.push_back(std::move(task));
      }
    }
    auto variations = TaskGenerator::training_sequences(*tokenizer_, tasks, rng);
    const auto count = static_cast<std::size_t>(config_.variation_share *
                                                static_cast<double>(sequences.size()));
    for (std::size_t i = 0; i < std::min(count + 1, variations.size()); ++i) {
      sequences.push_back(std::move(variations[i]));
    }
    return sequences;
  }

 private:
  // The first one from `index` on; `index` becomes its number.
  Trajectory next_demonstration(std::uint64_t& index) const {
    Trajectory story = corpus_.at(index);
    while (!invented::is_demonstration(story)) {
      story = corpus_.at(++index);
    }
    return story;
  }

  TrainingSequence write(const Trajectory& story,
                         std::uint64_t index,
                         const std::deque<Demonstration>& seen,
                         Rng& rng) const {
    std::vector<std::vector<Demonstration>> shown;
    if (rng.uniform() < config_.demonstration_share) {
      // Half of them from another episode in the same world, half from anywhere.
      std::deque<Demonstration> sibling;
      if (rng.uniform() < 0.5) {
        remember(corpus_.at(index, 1), sibling);
      }
      const std::deque<Demonstration>& source = sibling.empty() ? seen : sibling;
      for (const Transition& step : story.steps) {
        shown.push_back(most_alike(source, step.action, rng));
      }
    }
    ExperienceDataOptions options;
    options.max_tokens = kPretrainSequenceTokens;
    return experience_sequence(experience_, story, shown, options);
  }

  // One of the remembered transitions with the longest common beginning of the action.
  static std::vector<Demonstration> most_alike(const std::deque<Demonstration>& source,
                                               const std::string& action,
                                               Rng& rng) {
    std::vector<const Demonstration*> best;
    std::size_t longest = 0;
    for (const Demonstration& candidate : source) {
      const auto differ = std::mismatch(
          action.begin(), action.end(), candidate.action.begin(), candidate.action.end());
      const auto common = static_cast<std::size_t>(differ.first - action.begin());
      if (common > longest || best.empty()) {
        longest = std::max(longest, common);
        best.clear();
      }
      if (common == longest) {
        best.push_back(&candidate);
      }
    }
    return best.empty() ? std::vector<Demonstration>{} : std::vector{*rng.choose(best)};
  }

  static void remember(const Trajectory& story, std::deque<Demonstration>& seen) {
    for (const Transition& step : story.steps) {
      seen.push_back({"", step.action, step.next_observation.text});
      if (seen.size() > kRememberedTransitions) {
        seen.pop_front();
      }
    }
  }

  PretrainConfig config_;
  std::shared_ptr<const BpeTokenizer> tokenizer_;
  ExperiencePrompt experience_;
  AgentPrompt agent_;
  invented::InventedCorpus corpus_;
};

}  // namespace

ModelFiles pretrain(const PretrainConfig& config,
                    const Path& folder,
                    MetricsSink* metrics,
                    ProgressSink* progress) {
  ModelFiles start = config.from.empty() ? fresh_model(config) : load_model(config.from);
  const auto tokenizer = start.tokenizer;
  TrainableModel model(std::move(start.weights), config.threads);
  const auto writer = std::make_shared<const CorpusWriter>(config, tokenizer);
  const TeachingPlan plan{config.updates,
                          [writer](std::size_t update) { return writer->write(update); }};
  train_sft(model, plan, config.sft, {"pretrain", metrics, progress, nullptr, folder / "checkpoints"});
  return {model.weights(config.preset), tokenizer};
}

}  // namespace dreamgym
