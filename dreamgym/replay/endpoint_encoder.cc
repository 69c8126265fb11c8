#include "dreamgym/replay/endpoint_encoder.h"

#include <cmath>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/endpoint/openai_api.h"

namespace dreamgym {

EndpointEncoder::EndpointEncoder(std::shared_ptr<EndpointFleet> fleet) : fleet_(std::move(fleet)) {
  check(fleet_ != nullptr, "an endpoint has servers");
  const std::string text = "dimension";
  dimension_ = ask(std::span(&text, 1)).front().size();
}

std::vector<std::vector<float>> EndpointEncoder::ask(std::span<const std::string> texts) {
  // Servers refuse empty texts; a blank says as little.
  std::vector<std::string> asked(texts.begin(), texts.end());
  for (std::string& text : asked) {
    text = text.empty() ? " " : text;
  }
  std::vector<std::vector<float>> vectors;
  const auto accept = [&](const nlohmann::json& answer) -> Expected<void, std::string> {
    auto read = read_embeddings(answer, asked.size());
    if (!read) {
      return Unexpected<std::string>(read.error());
    }
    vectors = std::move(*read);
    return {};
  };
  const auto answer = fleet_->call("/embeddings", embedding_body(asked, fleet_->config().model), accept);
  if (!answer) {
    throw Error(ErrorKind::kIo,
                fmt::format("{}: no embeddings: {}", name(), answer.error().reason),
                "is the server up, and does it serve embeddings?");
  }
  for (std::vector<float>& vector : vectors) {
    double squares = 0;
    for (const float x : vector) {
      squares += static_cast<double>(x) * x;
    }
    const auto scale = static_cast<float>(squares > 0 ? 1.0 / std::sqrt(squares) : 0.0);
    for (float& x : vector) {
      x *= scale;
    }
  }
  return vectors;
}

std::vector<std::vector<float>> EndpointEncoder::encode(std::span<const std::string> texts) {
  auto vectors = ask(texts);
  if (!vectors.empty() && vectors.front().size() != dimension_) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("{}: an embedding has {} numbers, earlier ones had {}", name(), vectors.front().size(), dimension_),
                "do the servers all run the same model?");
  }
  return vectors;
}

std::string EndpointEncoder::name() const {
  return fmt::format("{}@{}", fleet_->config().model, fleet_->config().urls.front());
}

}  // namespace dreamgym
