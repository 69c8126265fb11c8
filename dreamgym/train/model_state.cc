#include "dreamgym/train/model_state.h"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

std::string weight_bytes(const TransformerWeights& weights) {
  std::string bytes;
  for (const auto& [name, array] : weights.arrays) {
    bytes.append(reinterpret_cast<const char*>(array.values.data()),
                 array.values.size() * sizeof(float));
  }
  return bytes;
}

void set_weight_bytes(TransformerWeights& weights, const std::string& bytes) {
  std::size_t offset = 0;
  for (auto& [name, array] : weights.arrays) {
    const std::size_t size = array.values.size() * sizeof(float);
    if (offset + size > bytes.size()) {
      throw Error(ErrorKind::kCorrupt, "the checkpoint's weights are of a smaller model");
    }
    std::memcpy(array.values.data(), bytes.data() + offset, size);
    offset += size;
  }
  if (offset != bytes.size()) {
    throw Error(ErrorKind::kCorrupt, "the checkpoint's weights are of a larger model");
  }
}

Blobs model_blobs(const TrainableModel& model) {
  return {{"weights", weight_bytes(model.weights(""))}, {"optimizer", model.optimizer_state()}};
}

void restore_model(TrainableModel& model, const Blobs& blobs) {
  TransformerWeights weights = model.weights("");
  set_weight_bytes(weights, blobs.at("weights"));
  model.set_weights(weights);
  model.set_optimizer_state(blobs.at("optimizer"));
}

void StateWriter::operator()(const std::string& name, const std::size_t& value) {
  text_ += fmt::format("{} {}\n", name, value);
}

void StateWriter::operator()(const std::string& name, const double& value) {
  text_ += fmt::format("{} {:a}\n", name, value);
}

StateReader::StateReader(const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) {
      continue;
    }
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) {
      throw Error(ErrorKind::kCorrupt, "checkpoint state: a line without a value: " + line);
    }
    values_[line.substr(0, blank)] = line.substr(blank + 1);
  }
}

const std::string& StateReader::find(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw Error(ErrorKind::kCorrupt,
                "checkpoint state: nothing called " + name,
                "another version of this program wrote it: start the stage in another folder");
  }
  return found->second;
}

void StateReader::operator()(const std::string& name, std::size_t& value) const {
  const std::string& text = find(name);
  char* end = nullptr;
  value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0') {
    throw Error(ErrorKind::kCorrupt, "checkpoint state: " + name + " is no number: " + text);
  }
}

void StateReader::operator()(const std::string& name, double& value) const {
  const std::string& text = find(name);
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    throw Error(ErrorKind::kCorrupt, "checkpoint state: " + name + " is no number: " + text);
  }
}

}  // namespace dreamgym
