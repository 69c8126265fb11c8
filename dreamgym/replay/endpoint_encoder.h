// The embeddings of an OpenAI-compatible server (POST /embeddings).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dreamgym/llm/endpoint/endpoint_fleet.h"
#include "dreamgym/replay/encoder_embedder.h"

namespace dreamgym {

/// Thread safety: as TextEncoder.
class EndpointEncoder final : public TextEncoder {
 public:
  /// Asks the server once, to learn the dimension.
  /// @throws Error kIo if nobody answers, kConfig as EndpointFleet.
  explicit EndpointEncoder(std::shared_ptr<EndpointFleet> fleet);

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  /// @throws Error kIo with the reason if there is no answer; kInvalidArgument if it has another dimension.
  std::vector<std::vector<float>> encode(std::span<const std::string> texts) override;
  [[nodiscard]] std::string name() const override;

 private:
  std::vector<std::vector<float>> ask(std::span<const std::string> texts);

  std::shared_ptr<EndpointFleet> fleet_;
  std::size_t dimension_ = 0;
};

}  // namespace dreamgym
