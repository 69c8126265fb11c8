#include "dreamgym/eval/fidelity_breakdown.h"

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "dreamgym/eval/calibration.h"

namespace dreamgym {
namespace {

struct StepRange {
  std::size_t first;  // from 1
  std::size_t last;
};
constexpr std::array<StepRange, 5> kSteps = {{{1, 5}, {6, 10}, {11, 20}, {21, 30}, {31, 50}}};

struct SimilarityRange {
  std::string_view name;
  double below;
};
// 1 = the same action in the same place (replay_buffer.h).
constexpr std::array<SimilarityRange, 4> kSimilarities = {
    {{"below_0.5", 0.5}, {"0.5_to_0.8", 0.8}, {"0.8_to_1", 1.0}, {"1", 2.0}}};

struct Share {
  std::size_t right = 0;
  std::size_t all = 0;
  void count(bool is_right) {
    right += is_right ? 1 : 0;
    ++all;
  }
};

std::string step_name(const StepRange& range) { return fmt::format("steps_{}_to_{}", range.first, range.last); }

std::string step_name(std::size_t step) {
  for (const StepRange& range : kSteps) {
    if (step + 1 >= range.first && step + 1 <= range.last) {
      return step_name(range);
    }
  }
  return fmt::format("steps_from_{}", kSteps.back().last + 1);
}

std::string_view similarity_name(double similarity) {
  for (const SimilarityRange& range : kSimilarities) {
    if (similarity < range.below) {
      return range.name;
    }
  }
  return kSimilarities.back().name;
}

void put(std::map<std::string, double>& out, const std::string& prefix, const std::map<std::string, Share>& shares) {
  for (const auto& [name, share] : shares) {
    out[prefix + name] = static_cast<double>(share.right) / static_cast<double>(share.all);
    out[prefix + name + "_n"] = static_cast<double>(share.all);
  }
}

}  // namespace

std::map<std::string, double> fidelity_breakdown(std::span<const StepPrediction> predictions,
                                                 const std::function<bool(std::size_t episode)>& is_seen) {
  std::map<std::string, Share> by_step;
  std::map<std::string, Share> by_similarity;
  std::map<std::string, Share> by_place;
  std::vector<ConfidentAnswer> answers;
  for (const StepPrediction& prediction : predictions) {
    if (prediction.hidden) {
      continue;
    }
    by_step[step_name(prediction.step)].count(prediction.exact);
    by_similarity[prediction.similarity ? std::string(similarity_name(*prediction.similarity)) : "none"].count(
        prediction.exact);
    if (is_seen) {
      by_place[is_seen(prediction.episode) ? "seen" : "unseen"].count(prediction.exact);
    }
    answers.push_back({prediction.confidence, prediction.exact});
  }
  std::map<std::string, double> out;
  put(out, "exact_at_", by_step);
  put(out, "exact_at_similarity_", by_similarity);
  put(out, "exact_in_places_", by_place);
  if (!answers.empty()) {
    out["confidence_ece"] = measure_calibration(answers).expected_error;
    out["confidence_brier"] = measure_calibration(answers).brier;
    out["confidence_ece_calibrated"] = measure_calibration(cross_calibrated(answers)).expected_error;
  }
  return out;
}

std::map<std::string, double> drift_breakdown(const DreamToReal& replayed) {
  std::map<std::string, Share> by_step;
  for (std::size_t t = 0; t < replayed.steps_at.size(); ++t) {
    if (replayed.steps_at[t] > 0) {
      Share& share = by_step[step_name(t)];
      share.right += replayed.same_at[t];
      share.all += replayed.steps_at[t];
    }
  }
  std::map<std::string, double> out;
  put(out, "replay_same_at_", by_step);
  return out;
}

}  // namespace dreamgym
