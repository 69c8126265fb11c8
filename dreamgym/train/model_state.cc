#include "dreamgym/train/model_state.h"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

void append_values(const WeightArray& array, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(array.values.data()),
               array.values.size() * sizeof(float));
}

void take_values(const std::string& bytes, std::size_t& offset, WeightArray& array) {
  const std::size_t size = array.values.size() * sizeof(float);
  if (offset + size > bytes.size()) {
    throw Error(ErrorKind::kCorrupt, "the checkpoint's weights are of a smaller model");
  }
  std::memcpy(array.values.data(), bytes.data() + offset, size);
  offset += size;
}

void check_all_taken(const std::string& bytes, std::size_t offset) {
  if (offset != bytes.size()) {
    throw Error(ErrorKind::kCorrupt, "the checkpoint's weights are of a larger model");
  }
}

}  // namespace

std::string weight_bytes(const TransformerWeights& weights) {
  std::string bytes;
  for (const auto& [name, array] : weights.arrays) {
    append_values(array, bytes);
  }
  return bytes;
}

void set_weight_bytes(TransformerWeights& weights, const std::string& bytes) {
  std::size_t offset = 0;
  for (auto& [name, array] : weights.arrays) {
    take_values(bytes, offset, array);
  }
  check_all_taken(bytes, offset);
}

void set_adapter_bytes(LoraAdapter& adapter, const std::string& bytes) {
  std::size_t offset = 0;
  for (auto& [name, pair] : adapter.pairs) {
    take_values(bytes, offset, pair.a);
    take_values(bytes, offset, pair.b);
  }
  check_all_taken(bytes, offset);
}

std::string trained_bytes(const TrainableModel& model) {
  const auto adapter = model.adapter();
  if (!adapter) {
    return weight_bytes(model.weights(""));
  }
  std::string bytes;
  for (const auto& [name, pair] : adapter->pairs) {
    append_values(pair.a, bytes);
    append_values(pair.b, bytes);
  }
  return bytes;
}

void set_trained_bytes(TrainableModel& model, const std::string& bytes) {
  auto adapter = model.adapter();
  if (!adapter) {
    TransformerWeights weights = model.weights("");
    set_weight_bytes(weights, bytes);
    model.set_weights(weights);
    return;
  }
  set_adapter_bytes(*adapter, bytes);
  model.set_adapter(*adapter);
}

Blobs model_blobs(const TrainableModel& model) {
  return {{"weights", trained_bytes(model)}, {"optimizer", model.optimizer_state()}};
}

void restore_model(TrainableModel& model, const Blobs& blobs) {
  set_trained_bytes(model, blobs.at("weights"));
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
