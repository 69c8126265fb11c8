// Training and generation must say the same: the log-probability of every sampled token, computed
// again by the trainable model.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/llm/trie_walk.h"
#include "dreamgym/nn/generation_engine.h"
#include "dreamgym/nn/trainable_model.h"

namespace dreamgym {
namespace {

constexpr float kTolerance = 1e-4F;

// The default preset with a small vocabulary, convolutions at work and peaked distributions.
TransformerWeights peaked_weights() {
  TransformerConfig config = transformer_preset("nano-s");
  config.vocab_size = 300;
  TransformerWeights weights = initial_weights(config, 3);
  Rng rng(3);
  for (auto& [name, array] : weights.arrays) {
    for (float& value : array.values) {
      if (name.find("convolution") != std::string::npos) {
        value = static_cast<float>(0.3 * rng.normal());
      } else if (name == "model.embed_tokens.weight") {
        value *= 15.0F;
      }
    }
  }
  return weights;
}

std::vector<TokenId> random_tokens(Rng& rng, std::size_t count) {
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) {
    token = static_cast<TokenId>(rng.below(300));
  }
  return tokens;
}

std::shared_ptr<const TokenTrie> random_choices(Rng& rng) {
  std::vector<std::vector<TokenId>> choices;
  for (TokenId i = 0; i < 9; ++i) {
    std::vector<TokenId> choice = random_tokens(rng, 4);
    choice[0] = 10 + i / 3;
    choice[1] = 20 + i;
    choice.push_back(1);
    choices.push_back(choice);
  }
  return std::make_shared<TokenTrie>(choices);
}

// Every reply of an episode, as a branch from the kept history.
struct Branch {
  std::vector<TokenId> tokens;  // after the kept ones: the tail of the context, then the reply
  std::size_t kept = 0;
  std::size_t reply_begin = 0;  // in tokens
  GenerationRequest request;
  GenerationReply reply;
};

// An episode whose history grows while demonstrations and replies come and go behind it.
std::vector<Branch> play_episode(GenerationEngine& engine,
                                 std::vector<TokenId>& history,
                                 std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Branch> branches;
  for (std::uint64_t step = 0; step < 6; ++step) {
    const auto added = random_tokens(rng, 5 + rng.below(30));
    history.insert(history.end(), added.begin(), added.end());
    Branch branch;
    branch.kept = history.size();
    branch.tokens = random_tokens(rng, rng.below(40));
    branch.reply_begin = branch.tokens.size();
    branch.request.session = seed;
    branch.request.context = history;
    branch.request.context.insert(
        branch.request.context.end(), branch.tokens.begin(), branch.tokens.end());
    branch.request.kept_tokens = branch.kept;
    branch.request.max_tokens = 20;
    branch.request.temperature = step % 3 == 0 ? 0.7 : 1.3;
    branch.request.seed = step;
    branch.request.choices = step % 2 == 0 ? random_choices(rng) : nullptr;
    branch.reply = engine.generate(std::span(&branch.request, 1)).front();
    branch.tokens.insert(
        branch.tokens.end(), branch.reply.tokens.begin(), branch.reply.tokens.end());
    branches.push_back(std::move(branch));
  }
  return branches;
}

TEST(GenerationEngineAgreement, TrainerRecomputesTheLogprobOfEverySampledToken) {
  const TransformerWeights weights = peaked_weights();
  const TrainableModel model(weights, 1);
  GenerationEngine engine(weights, nullptr, {});
  std::vector<PackedBatch> batches;
  std::vector<std::vector<float>> sampled;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::vector<TokenId> history;
    const auto branches = play_episode(engine, history, seed);
    PackedBatch& batch = batches.emplace_back();
    std::vector<float>& logprobs = sampled.emplace_back();
    const std::uint32_t trunk = batch.add_segment(history);
    for (const Branch& branch : branches) {
      const std::uint32_t segment =
          batch.add_segment(branch.tokens, trunk, static_cast<std::uint32_t>(branch.kept));
      const auto allowed = branch.request.choices
                               ? allowed_along(*branch.request.choices, branch.reply.tokens)
                               : std::vector<std::vector<TokenId>>(branch.reply.tokens.size());
      for (std::size_t i = 0; i < branch.reply.tokens.size(); ++i) {
        batch.add_query(segment,
                        static_cast<std::uint32_t>(branch.reply_begin + i),
                        static_cast<float>(branch.request.temperature),
                        allowed[i]);
        logprobs.push_back(branch.reply.logprobs[i]);
      }
    }
  }
  const auto scores = model.score(batches);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    ASSERT_EQ(scores[b].size(), sampled[b].size());
    for (std::size_t i = 0; i < sampled[b].size(); ++i) {
      EXPECT_NEAR(scores[b][i].logprob, sampled[b][i], kTolerance) << "batch " << b << ", " << i;
    }
  }
}

}  // namespace
}  // namespace dreamgym
