#include "dreamgym/llm/bpe_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/internal/text_segments.h"

namespace dreamgym {
namespace {

using Pair = std::pair<TokenId, TokenId>;

constexpr TokenId kNoToken = -1;

std::uint64_t key_of(Pair pair) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(pair.first)) << 32U |
         static_cast<std::uint32_t>(pair.second);
}

/// A chunk of the corpus as it is merged so far.
struct Chunk {
  std::vector<TokenId> tokens;
  std::size_t count = 0;  ///< how often it stands in the corpus
};

/// What may be merged next. Ordered by count, then by the lower ids.
struct Candidate {
  std::size_t count = 0;
  Pair pair;
  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

struct PairUse {
  std::size_t count = 0;
  std::vector<std::uint32_t> chunks;  ///< where it has been; may repeat or be out of date
};

std::vector<Chunk> collect_chunks(const BpeTokenizer& tokenizer,
                                  std::span<const std::string> texts) {
  const TextSegmenter segmenter(tokenizer.vocabulary());
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> index;
  std::vector<Chunk> chunks;  // in order of first appearance, so nothing depends on the hash
  for (const auto& text : texts) {
    segmenter.for_each(text, TextSegmenter::Markers::kRecognised, [&](const TextSegment& segment) {
      if (segment.kind != TextSegment::Kind::kChunk) {
        return;
      }
      auto found = index.find(segment.text);
      if (found == index.end()) {
        found = index.emplace(std::string(segment.text), chunks.size()).first;
        chunks.push_back({tokenizer.encode(segment.text), 0});
      }
      ++chunks[found->second].count;
    });
  }
  return chunks;
}

class MergeTrainer {
 public:
  MergeTrainer(const BpeTokenizer& tokenizer,
               std::span<const std::string> texts,
               const MergeTrainingConfig& config)
      : config_(config),
        vocabulary_(tokenizer.vocabulary()),
        taken_(vocabulary_.tokens.begin(), vocabulary_.tokens.end()),
        chunks_(collect_chunks(tokenizer, texts)) {
    for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
      add_pairs(i, kNoToken);
    }
    push_changed();
  }

  /// @return the merges made, in order.
  std::vector<BpeVocabulary::Merge> run() {
    std::vector<BpeVocabulary::Merge> made;
    while (made.size() < config_.max_new_tokens && !queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const std::size_t count = uses_.at(key_of(best.pair)).count;
      if (count != best.count) {
        if (count >= config_.min_pair_count) {
          queue_.push({count, best.pair});
        }
        continue;
      }
      if (!may_merge(best.pair)) {
        continue;  // another pair has made the same text since
      }
      made.push_back(add_token(best.pair));
      merge_everywhere(made.back());
      push_changed();
    }
    return made;
  }

  BpeVocabulary take_vocabulary() { return std::move(vocabulary_); }

 private:
  [[nodiscard]] const std::string& text(TokenId id) const {
    return vocabulary_.tokens[static_cast<std::size_t>(id)];
  }

  /// Counts the pairs of a chunk.
  /// @param fresh  only pairs with this token are new here; kNoToken: all are.
  void add_pairs(std::uint32_t chunk_index, TokenId fresh) {
    const Chunk& chunk = chunks_[chunk_index];
    for (std::size_t i = 0; i + 1 < chunk.tokens.size(); ++i) {
      const Pair pair{chunk.tokens[i], chunk.tokens[i + 1]};
      PairUse& use = uses_[key_of(pair)];
      use.count += chunk.count;
      if (fresh != kNoToken && pair.first != fresh && pair.second != fresh) {
        continue;
      }
      if (use.chunks.empty() || use.chunks.back() != chunk_index) {
        use.chunks.push_back(chunk_index);
      }
      changed_.push_back(pair);
    }
  }

  void remove_pairs(std::uint32_t chunk_index) {
    const Chunk& chunk = chunks_[chunk_index];
    for (std::size_t i = 0; i + 1 < chunk.tokens.size(); ++i) {
      uses_.at(key_of({chunk.tokens[i], chunk.tokens[i + 1]})).count -= chunk.count;
    }
  }

  /// Offers the pairs whose count has grown. A count that has shrunk is noticed when it is popped.
  void push_changed() {
    std::ranges::sort(changed_);
    const auto repeated = std::ranges::unique(changed_);
    changed_.erase(repeated.begin(), repeated.end());
    for (const Pair& pair : changed_) {
      const std::size_t count = uses_.at(key_of(pair)).count;
      if (count >= config_.min_pair_count && may_merge(pair)) {
        queue_.push({count, pair});
      }
    }
    changed_.clear();
  }

  /// A new token's text must be free: names and markers stay whole, and two ways to one text would
  /// give two merges of different rank the same id.
  [[nodiscard]] bool may_merge(Pair pair) const {
    const std::size_t bytes = text(pair.first).size() + text(pair.second).size();
    return bytes <= config_.max_token_bytes &&
           !taken_.contains(text(pair.first) + text(pair.second));
  }

  BpeVocabulary::Merge add_token(Pair pair) {
    const auto id = static_cast<TokenId>(vocabulary_.tokens.size());
    std::string joined = text(pair.first) + text(pair.second);
    taken_.insert(joined);
    vocabulary_.tokens.push_back(std::move(joined));
    vocabulary_.merges.push_back({pair.first, pair.second, id});
    return vocabulary_.merges.back();
  }

  void merge_everywhere(const BpeVocabulary::Merge& merge) {
    auto touched = std::move(uses_.at(key_of({merge.left, merge.right})).chunks);
    std::ranges::sort(touched);
    const auto repeated = std::ranges::unique(touched);
    touched.erase(repeated.begin(), repeated.end());
    for (const std::uint32_t chunk_index : touched) {
      auto& tokens = chunks_[chunk_index].tokens;
      std::vector<TokenId> merged;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool here =
            i + 1 < tokens.size() && tokens[i] == merge.left && tokens[i + 1] == merge.right;
        merged.push_back(here ? merge.result : tokens[i]);
        i += here ? 1 : 0;
      }
      if (merged.size() != tokens.size()) {
        remove_pairs(chunk_index);
        tokens = std::move(merged);
        add_pairs(chunk_index, merge.result);
      }
    }
  }

  MergeTrainingConfig config_;
  BpeVocabulary vocabulary_;
  std::unordered_set<std::string> taken_;
  std::vector<Chunk> chunks_;
  std::unordered_map<std::uint64_t, PairUse> uses_;
  std::vector<Pair> changed_;
  std::priority_queue<Candidate> queue_;
};

/// The given names, then those of the corpus by frequency, each once.
std::vector<std::string> choose_names(std::span<const std::string> texts,
                                      const std::vector<std::string>& given,
                                      const BpeTrainingConfig& config) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const auto& found : {given, find_names(texts, config.name_rule)}) {
    for (const auto& name : found) {
      if (names.size() < config.max_names && seen.insert(name).second) {
        names.push_back(name);
      }
    }
  }
  return names;
}

}  // namespace

BpeTokenizer train_bpe(std::span<const std::string> texts,
                       const std::vector<std::string>& names,
                       const BpeTrainingConfig& config) {
  const BpeTokenizer base(
      base_vocabulary(choose_names(texts, names, config), config.names_are_pool));
  if (base.vocabulary_size() > config.vocabulary_size) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("tokenizer training: vocabulary_size is {}, but markers, bytes, "
                            "numbers and {} names need {}",
                            config.vocabulary_size,
                            base.vocabulary().names.size(),
                            base.vocabulary_size()),
                "raise vocabulary_size or lower max_names");
  }
  return extend_merges(base,
                       texts,
                       {.max_new_tokens = config.vocabulary_size - base.vocabulary_size(),
                        .min_pair_count = config.min_pair_count,
                        .max_token_bytes = config.max_token_bytes})
      .tokenizer;
}

ExtendedTokenizer extend_merges(const BpeTokenizer& tokenizer,
                                std::span<const std::string> texts,
                                const MergeTrainingConfig& config) {
  if (config.min_pair_count < 1) {
    throw Error(ErrorKind::kInvalidArgument,
                "tokenizer training: min_pair_count is 0, expected at least 1");
  }
  MergeTrainer trainer(tokenizer, texts, config);
  auto new_tokens = trainer.run();
  return {BpeTokenizer(trainer.take_vocabulary()), std::move(new_tokens)};
}

}  // namespace dreamgym
