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

/// What is trained ("weights": all of them, or the adapter's) and the "optimizer".
Blobs model_blobs(const TrainableModel& model);
/// @throws Error kCorrupt if the weights are of another shape.
void restore_model(TrainableModel& model, const Blobs& blobs);

/// Raw fp32 values of what a model trains, and back: all weights, or those of its adapter alone.
/// @throws Error kCorrupt if they are of another shape.
std::string trained_bytes(const TrainableModel& model);
void set_trained_bytes(TrainableModel& model, const std::string& bytes);

/// Raw fp32 values of all arrays in name order, and back into weights of the same shape.
std::string weight_bytes(const TransformerWeights& weights);
void set_weight_bytes(TransformerWeights& weights, const std::string& bytes);
/// The values of an adapter from its trained_bytes().
void set_adapter_bytes(LoraAdapter& adapter, const std::string& bytes);

/// "name value" lines. Reals are written in hexadecimal, so they come back exactly.
class StateWriter {
 public:
  void operator()(const std::string& name, const std::size_t& value);
  void operator()(const std::string& name, const double& value);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// @throws Error kCorrupt on a malformed line, a name that is not there or a value of another kind.
class StateReader {
 public:
  explicit StateReader(const std::string& text);
  void operator()(const std::string& name, std::size_t& value) const;
  void operator()(const std::string& name, double& value) const;

 private:
  [[nodiscard]] const std::string& find(const std::string& name) const;

  std::map<std::string, std::string> values_;
};

/// The numbers of a report as checkpoint text, and back. One list serves both ways:
///   template <class Field> void visit_state(SftReport& report, Field&& field) {
///     field("tokens", report.tokens);
///   }
template <class Report>
std::string state_text(Report report) {
  StateWriter writer;
  visit_state(report, writer);
  return writer.text();
}

template <class Report>
void restore_state(const std::string& text, Report& report) {
  const StateReader reader(text);
  visit_state(report, reader);
}

}  // namespace dreamgym
