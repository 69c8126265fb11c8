// A trainable model as checkpoint blobs, and small named values beside it.
//
// Weights are stored as raw fp32, so a resumed run continues bit for bit.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dreamgym/nn/trainable_model.h"
#include "dreamgym/train/checkpoint.h"

namespace dreamgym {

/// {"weights", "optimizer"}.
Blobs model_blobs(const TrainableModel& model);
/// @throws Error kCorrupt if the weights are of another shape.
void restore_model(TrainableModel& model, const Blobs& blobs);

/// Raw fp32 values of all arrays in name order, and back into weights of the same shape.
std::string weight_bytes(const TransformerWeights& weights);
void set_weight_bytes(TransformerWeights& weights, const std::string& bytes);

/// "name value" lines. Reals are written in hexadecimal, so they come back exactly.
class StateWriter {
 public:
  void integer(const std::string& name, std::uint64_t value);
  void real(const std::string& name, double value);
  /// Any bytes without newline.
  void string(const std::string& name, const std::string& value);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class StateReader {
 public:
  /// @throws Error kCorrupt on a malformed line.
  explicit StateReader(const std::string& text);
  /// @throws Error kCorrupt if there is no such name or it is no such value.
  [[nodiscard]] std::uint64_t integer(const std::string& name) const;
  [[nodiscard]] double real(const std::string& name) const;
  [[nodiscard]] const std::string& string(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace dreamgym
