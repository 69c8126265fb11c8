#include "dreamgym/apps/replay_memory.h"

#include "dreamgym/nn/sentence_encoder.h"
#include "dreamgym/replay/encoder_embedder.h"
#include "dreamgym/replay/endpoint_encoder.h"

namespace dreamgym {
namespace {

class NativeEncoder final : public TextEncoder {
 public:
  explicit NativeEncoder(const Path& folder) : model_(folder) {}
  [[nodiscard]] std::size_t dimension() const override { return model_.dimension(); }
  std::vector<std::vector<float>> encode(std::span<const std::string> texts) override {
    return model_.embed_all({texts.begin(), texts.end()});
  }
  [[nodiscard]] std::string name() const override { return model_.name(); }

 private:
  SentenceEncoder model_;
};

}  // namespace

std::shared_ptr<const Embedder> make_embedder(const ReplayConfig& config, const Path& cache_file) {
  if (config.embedder == EmbedderKind::kHashedNgrams) {
    return std::make_shared<HashedNgramEmbedder>(HashedNgramEmbedder::Options{.action_share = config.action_share});
  }
  std::shared_ptr<TextEncoder> encoder;
  if (config.embedder == EmbedderKind::kEncoder) {
    encoder = std::make_shared<NativeEncoder>(config.encoder);
  } else {
    encoder = std::make_shared<EndpointEncoder>(std::make_shared<EndpointFleet>(config.server));
  }
  return std::make_shared<EncoderEmbedder>(
      std::move(encoder),
      EncoderEmbedder::Options{.action_share = config.action_share, .cache_file = cache_file});
}

std::unique_ptr<ReplayBuffer> open_buffer(const ReplayConfig& config, const Path& store) {
  ReplayBufferOptions options;
  options.dreamed_capacity = config.dreamed_capacity;
  options.eviction = config.eviction;
  options.index = config.index;
  return std::make_unique<ReplayBuffer>(make_embedder(config, store.string() + ".embeddings"), store, options);
}

}  // namespace dreamgym
