#include "dreamgym/apps/replay_memory.h"

#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
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

namespace {

[[noreturn]] void refuse_store(const Path& store, const char* what, const Path& run_folder) {
  throw Error(ErrorKind::kCorrupt,
              fmt::format("{} {}: the dream would have to do without the transitions of the logs", store.string(), what),
              fmt::format("`dreamgym train --resume --run {}` puts those of the logs back; what was dreamed is lost",
                          run_folder.string()));
}

}  // namespace

std::unique_ptr<ReplayBuffer> open_run_buffer(const ReplayConfig& config, const Path& run_folder) {
  const Path store = run_folder / "experience.sqlite";
  if (!std::filesystem::exists(store)) {
    refuse_store(store, "is gone", run_folder);
  }
  auto buffer = open_buffer(config, store);
  if (buffer->num_real() == 0) {
    refuse_store(store, "holds no real transition", run_folder);
  }
  return buffer;
}

std::unique_ptr<ReplayBuffer> open_buffer(const ReplayConfig& config, const Path& store) {
  ReplayBufferOptions options;
  options.dreamed_capacity = config.dreamed_capacity;
  options.eviction = config.eviction;
  options.index = config.index;
  return std::make_unique<ReplayBuffer>(make_embedder(config, store.string() + ".embeddings"), store, options);
}

}  // namespace dreamgym
