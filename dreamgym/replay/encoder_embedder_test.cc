#include "dreamgym/replay/encoder_embedder.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/replay/endpoint_encoder.h"
#include "dreamgym/replay/replay_buffer.h"
#include "tests/fault_server.h"
#include "tests/temporary_folder.h"

namespace dreamgym {
namespace {

// A unit vector along an axis that the text's first letter names.
class LetterEncoder final : public TextEncoder {
 public:
  explicit LetterEncoder(std::size_t dimension = 32) : dimension_(dimension) {}
  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  std::vector<std::vector<float>> encode(std::span<const std::string> texts) override {
    ++calls;
    std::vector<std::vector<float>> out;
    for (const std::string& text : texts) {
      ++encoded;
      std::vector<float> vector(dimension_, 0.0F);
      vector[text.empty() ? 0 : static_cast<unsigned char>(text[0]) % dimension_] = 1.0F;
      out.push_back(std::move(vector));
    }
    return out;
  }
  [[nodiscard]] std::string name() const override { return "letters"; }

  std::size_t calls = 0;
  std::size_t encoded = 0;

 private:
  std::size_t dimension_;
};

TEST(EncoderEmbedder, WeighsStateAndAction) {
  const auto encoder = std::make_shared<LetterEncoder>();
  const EncoderEmbedder embedder(encoder, {.action_share = 0.5});
  const auto key = embedder.embed_pair("a room", "take it");
  EXPECT_NEAR(key['a' % 32], std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(key['t' % 32], std::sqrt(0.5), 1e-6);
  EXPECT_EQ(embedder.name(), "letters/action-0.500");
  EXPECT_THROW(EncoderEmbedder(encoder, {.action_share = 2}), Error);
}

TEST(EncoderEmbedder, EncodesEachTextOnceAndInBatches) {
  const auto encoder = std::make_shared<LetterEncoder>();
  const EncoderEmbedder embedder(encoder, {.batch = 2});
  const std::vector<StateAction> pairs = {{"a", "x"}, {"b", "x"}, {"a", "y"}};
  EXPECT_EQ(embed_pairs(embedder, pairs, 4).size(), 3U);
  EXPECT_EQ(encoder->encoded, 4U);
  EXPECT_EQ(encoder->calls, 2U);
  (void)embedder.embed_pair("b", "y");
  EXPECT_EQ(encoder->encoded, 4U);
}

TEST(EncoderEmbedder, KeepsItsVectorsOnDiskAndRefusesAnotherEncoders) {
  const TemporaryFolder folder;
  const Path file = folder.path() / "vectors";
  {
    const EncoderEmbedder first(std::make_shared<LetterEncoder>(), {.cache_file = file});
    (void)first.embed_pair("a", "x");
  }
  std::filesystem::resize_file(file, std::filesystem::file_size(file) + 3);  // a crash in mid-row
  const auto encoder = std::make_shared<LetterEncoder>();
  const EncoderEmbedder second(encoder, {.cache_file = file});
  EXPECT_EQ(second.num_cached(), 2U);
  (void)second.embed_pair("x", "a");
  EXPECT_EQ(encoder->encoded, 0U);
  try {
    const EncoderEmbedder other(std::make_shared<LetterEncoder>(16), {.cache_file = file});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("letters (32 numbers), the embedder asked for is letters (16 numbers)"),
              std::string::npos)
        << error.what();
  }
  write_file(file, "something else");
  EXPECT_THROW(EncoderEmbedder(encoder, {.cache_file = file}), Error);
}

TEST(EncoderEmbedder, IsWhatAReplayBufferSearchesBy) {
  const auto encoder = std::make_shared<LetterEncoder>();
  ReplayBuffer buffer(std::make_shared<EncoderEmbedder>(encoder, EncoderEmbedder::Options{}));
  Trajectory story;
  story.episode_id = "e";
  for (const char* action : {"take", "open", "put"}) {
    Transition step;
    step.observation.text = "room";
    step.action = action;
    step.next_observation.text = std::string("after ") + action;
    story.steps.push_back(step);
  }
  (void)buffer.add(std::span<const Trajectory>(&story, 1));
  EXPECT_EQ(encoder->calls, 1U) << "all of an add in one go";
  const ReplayQuery query{"room", "open", "", ""};
  const auto hits = buffer.search(std::span(&query, 1), {.k = 1});
  ASSERT_EQ(hits.front().size(), 1U);
  EXPECT_EQ(hits.front().front().record->transition.action, "open");
}

EndpointConfig server_config(const std::string& url) {
  EndpointConfig config;
  config.urls = {url};
  config.model = "mini";
  config.api_key_variable = "";
  config.max_attempts = 2;
  config.first_backoff_seconds = 0.001;
  return config;
}

TEST(EndpointEncoder, AsksTheServerAndBringsVectorsToLengthOne) {
  FaultServer server([](const FaultRequest& request) {
    EXPECT_TRUE(request.path.ends_with("/embeddings"));
    const auto body = nlohmann::json::parse(request.body);
    nlohmann::json data = nlohmann::json::array();
    for (std::size_t i = 0; i < body["input"].size(); ++i) {
      data.push_back({{"index", i}, {"embedding", {3.0, 4.0}}});
    }
    return FaultReply{.body = nlohmann::json{{"data", data}}.dump()};
  });
  EndpointEncoder encoder(std::make_shared<EndpointFleet>(server_config(server.url())));
  EXPECT_EQ(encoder.dimension(), 2U);
  const std::vector<std::string> texts = {"one", ""};
  const auto vectors = encoder.encode(texts);
  ASSERT_EQ(vectors.size(), 2U);
  EXPECT_FLOAT_EQ(vectors[1][0], 0.6F);
}

TEST(EndpointEncoder, SaysWhyThereAreNoEmbeddings) {
  FaultServer server([](const FaultRequest&) { return FaultReply{.status = 500, .body = "{}"}; });
  try {
    EndpointEncoder encoder(std::make_shared<EndpointFleet>(server_config(server.url())));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no embeddings"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dreamgym
