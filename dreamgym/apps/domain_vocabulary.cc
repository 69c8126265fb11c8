#include "dreamgym/apps/domain_vocabulary.h"

#include <algorithm>
#include <map>
#include <set>

#include "dreamgym/llm/bpe_trainer.h"
#include "dreamgym/llm/name_tokens.h"

namespace dreamgym {
namespace {

constexpr std::size_t kFreshVocabulary = 1024;
constexpr std::size_t kLeastOccurrences = 5;  // of a word that is worth a token
constexpr std::size_t kTellingShare = 5;      // a word of at most every fifth task tells tasks apart
constexpr const char* kEmbedding = "model.embed_tokens.weight";

std::vector<std::string> texts_of(const std::vector<Trajectory>& logs) {
  std::vector<std::string> texts;
  for (const Trajectory& story : logs) {
    texts.push_back(story.task.instruction);
    if (!story.steps.empty()) {
      texts.push_back(story.steps.front().observation.text);
    }
    for (const Transition& step : story.steps) {
      texts.push_back(step.action);
      texts.push_back(step.reasoning_trace);
      texts.push_back(step.next_observation.text);
    }
  }
  return texts;
}

// Gives each new token the mean of its two parts' rows.
void grow_embedding(TransformerWeights& weights, const std::vector<BpeVocabulary::Merge>& merges) {
  WeightArray& table = weights.arrays.at(kEmbedding);
  const auto width = static_cast<std::size_t>(weights.config.hidden_size);
  for (const BpeVocabulary::Merge& merge : merges) {
    const auto left = static_cast<std::size_t>(merge.left) * width;
    const auto right = static_cast<std::size_t>(merge.right) * width;
    for (std::size_t d = 0; d < width; ++d) {
      table.values.push_back(0.5F * (table.values[left + d] + table.values[right + d]));
    }
  }
  weights.config.vocab_size += static_cast<std::int64_t>(merges.size());
  table.shape.front() = weights.config.vocab_size;
}

// The most frequent words that are spelled with several tokens and are no names already.
std::vector<std::string> long_words(const BpeTokenizer& tokenizer,
                                    const std::vector<std::string>& texts,
                                    const std::vector<std::string>& names,
                                    std::size_t most) {
  const std::set<std::string> known(names.begin(), names.end());
  std::vector<std::string> words;
  for (std::string& word : find_words(texts, kLeastOccurrences)) {
    if (words.size() < most && !known.contains(word) && tokenizer.encode(" " + word).size() > 1) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

// Words that tell one task from another: in some instructions, but not in so many that they are the
// language tasks are written in ("looking", "dollars"), nor the one of pages and actions ("choose").
std::vector<std::string> task_words(const std::vector<Trajectory>& logs,
                                    const std::vector<std::string>& words) {
  std::set<std::string> instructions;
  for (const Trajectory& story : logs) {
    instructions.insert(story.task.instruction);
  }
  std::map<std::string, std::size_t> num_tasks;
  for (const std::string& instruction : instructions) {
    for (const std::string& word : find_words(std::span(&instruction, 1), 1)) {
      ++num_tasks[word];
    }
  }
  std::vector<std::string> telling;
  for (const std::string& word : words) {
    const auto found = num_tasks.find(word);
    if (found != num_tasks.end() && found->second * kTellingShare <= instructions.size()) {
      telling.push_back(word);
    }
  }
  return telling;
}

std::vector<TokenId> tokens_of(const BpeTokenizer& tokenizer,
                               const std::vector<std::string>& words) {
  std::vector<TokenId> tokens;
  for (const std::string& word : words) {
    if (const auto token = tokenizer.find(word)) {
      tokens.push_back(*token);
    }
  }
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

// Tokens of names that no first observation shows.
std::vector<TokenId> content_tokens(const BpeTokenizer& tokenizer,
                                    const std::vector<Trajectory>& logs,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> openings;
  for (const Trajectory& story : logs) {
    if (!story.steps.empty()) {
      openings.push_back(story.steps.front().observation.text);
    }
  }
  const auto shown = find_names(openings, {.min_count = 1});
  const std::set<std::string> places(shown.begin(), shown.end());
  std::vector<TokenId> tokens;
  for (const std::string& name : names) {
    const auto token = tokenizer.find(name);
    if (token && !places.contains(name)) {
      tokens.push_back(*token);
    }
  }
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

}  // namespace

VocabularyPlan vocabulary_plan(const BaseConfig& config) {
  return {.new_merges = config.new_merges, .name_words = config.name_words};
}

DomainModel adapt_vocabulary(const ModelFiles& base,
                             const std::vector<Trajectory>& logs,
                             const VocabularyPlan& plan,
                             const Rng& rng) {
  DomainModel out;
  const std::vector<std::string> texts = texts_of(logs);
  out.names = find_names(texts);
  std::vector<std::string> words;
  if (plan.name_words > 0) {
    words = long_words(*base.tokenizer, texts, out.names, plan.name_words);
    out.names.insert(out.names.end(), words.begin(), words.end());
  }
  AdoptedNames adopted = adopt_names(*base.tokenizer, out.names, rng.fork("names"));
  out.names_left_out = adopted.num_left_out;
  out.model.weights = base.weights;
  BpeTokenizer tokenizer = adopted.tokenizer;
  if (plan.new_merges > 0) {
    ExtendedTokenizer extended =
        extend_merges(tokenizer, texts, {.max_new_tokens = plan.new_merges});
    out.new_tokens = extended.new_tokens.size();
    grow_embedding(out.model.weights, extended.new_tokens);
    tokenizer = extended.tokenizer;
  }
  out.content_names = words.empty() ? content_tokens(tokenizer, logs, out.names)
                                    : tokens_of(tokenizer, task_words(logs, words));
  out.num_words = tokens_of(tokenizer, words).size();
  out.model.tokenizer = std::make_shared<const BpeTokenizer>(std::move(tokenizer));
  return out;
}

ModelFiles fresh_model(const std::vector<Trajectory>& logs,
                       const std::string& preset,
                       std::uint64_t seed) {
  ModelFiles model;
  BpeTrainingConfig training;
  training.vocabulary_size = kFreshVocabulary;
  model.tokenizer =
      std::make_shared<const BpeTokenizer>(train_bpe(texts_of(logs), {}, training));
  TransformerConfig config = transformer_preset(preset);
  config.vocab_size = static_cast<std::int64_t>(model.tokenizer->vocabulary_size());
  model.weights = initial_weights(config, seed);
  model.weights.version = preset;
  return model;
}

}  // namespace dreamgym
