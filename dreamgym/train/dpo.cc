#include "dreamgym/train/dpo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "dreamgym/base/error.h"
#include "dreamgym/train/checkpoint.h"
#include "dreamgym/train/model_state.h"
#include "dreamgym/train/preference_packing.h"
#include "dreamgym/train/schedule.h"

namespace dreamgym {
namespace {

std::vector<const TrainingSequence*> pointers(const std::vector<TrainingSequence>& pairs,
                                              std::span<const std::size_t> which) {
  std::vector<const TrainingSequence*> out;
  for (const std::size_t index : which) {
    out.push_back(&pairs[index]);
  }
  return out;
}

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

/// Of the model as it is now.
std::vector<TailSums> reference_sums(const TrainableModel& model,
                                     const std::vector<TrainingSequence>& pairs,
                                     std::size_t max_tokens) {
  const PackedPairs packed = pack_pairs(pointers(pairs, numbers_below(pairs.size())), max_tokens);
  const auto scores = model.score(packed.taught.batches);
  std::vector<TailSums> out;
  for (const PairPlace& place : packed.places) {
    out.push_back(sum_tails(scores[place.batch], place));
  }
  return out;
}

std::string reference_bytes(const std::vector<TailSums>& sums) {
  return {reinterpret_cast<const char*>(sums.data()), sums.size() * sizeof(TailSums)};
}

std::vector<TailSums> reference_from(const std::string& bytes, std::size_t num_pairs) {
  if (bytes.size() != num_pairs * sizeof(TailSums)) {
    throw Error(ErrorKind::kCorrupt,
                fmt::format("the checkpoint holds the reference of {} pair(s), expected {}",
                            bytes.size() / sizeof(TailSums),
                            num_pairs),
                "resume with the pairs the run began with, or start in another folder");
  }
  std::vector<TailSums> sums(num_pairs);
  std::memcpy(sums.data(), bytes.data(), bytes.size());
  return sums;
}

/// The pairs of each update.
std::vector<std::vector<std::size_t>> schedule_updates(std::size_t num_pairs,
                                                       const DpoConfig& config,
                                                       const Rng& rng) {
  std::vector<std::vector<std::size_t>> updates;
  for (std::size_t epoch = 0; epoch < config.epochs; ++epoch) {
    std::vector<std::size_t> order = numbers_below(num_pairs);
    Rng stream = rng.fork("epoch", epoch);
    stream.shuffle(order);
    for (std::size_t begin = 0; begin < num_pairs; begin += config.pairs_per_update) {
      const std::size_t end = std::min(num_pairs, begin + config.pairs_per_update);
      updates.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                           order.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return updates;
}

void require_valid(const std::vector<TrainingSequence>& pairs, const DpoConfig& config) {
  if (pairs.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "there are no preference pairs to learn from",
                "pairs need a success and a failure of one task: collect several episodes a task");
  }
  if (config.epochs == 0 || config.pairs_per_update == 0 || config.checkpoint_every == 0) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("epochs {}, pairs_per_update {}, checkpoint_every {}: expected 1 or more",
                    config.epochs,
                    config.pairs_per_update,
                    config.checkpoint_every));
  }
}

/// One update on some pairs: gradients added to the model's, numbers to the report.
void accumulate_pairs(TrainableModel& model,
                      const PackedPairs& packed,
                      std::span<const TailSums> reference,
                      const DpoConfig& config,
                      DpoReport& report) {
  const auto count = static_cast<double>(packed.places.size());
  const auto loss_of = [&](std::size_t pair, std::span<const TokenScore> scores) {
    const PairPlace& place = packed.places[pair];
    const TailSums policy = sum_tails(scores, place);
    return preference_loss({.chosen = policy.chosen,
                            .rejected = policy.rejected,
                            .reference_chosen = reference[pair].chosen,
                            .reference_rejected = reference[pair].rejected,
                            .chosen_tokens = place.chosen,
                            .rejected_tokens = place.rejected},
                           config.loss);
  };
  const auto scores = model.accumulate(
      packed.taught.batches, [&](std::size_t batch, std::span<const TokenScore> of_batch) {
        std::vector<TokenGradient> gradient(of_batch.size());
        for (const std::size_t pair : packed.of_batch[batch]) {
          const PairPlace& place = packed.places[pair];
          const PreferencePairLoss loss = loss_of(pair, of_batch);
          for (std::size_t i = 0; i < place.chosen + place.rejected; ++i) {
            const double slope = i < place.chosen ? loss.d_chosen : loss.d_rejected;
            gradient[place.begin + i].logprob = static_cast<float>(slope / count);
          }
        }
        return gradient;
      });
  report.loss = report.accuracy = report.margin = 0;
  for (std::size_t pair = 0; pair < packed.places.size(); ++pair) {
    const PreferencePairLoss loss = loss_of(pair, scores[packed.places[pair].batch]);
    const double margin = loss.chosen_reward - loss.rejected_reward;
    report.loss += loss.loss / count;
    report.accuracy += (margin > 0 ? 1.0 : 0.0) / count;
    report.margin += margin / count;
  }
  report.tokens += packed.taught.num_tokens;
}

void tell(const TrainingRun& run, const DpoReport& report, double rate, const UpdateResult& update) {
  if (run.metrics != nullptr) {
    run.metrics->record(run.phase,
                        report.updates,
                        {{"train/loss_preference_nats", report.loss},
                         {"train/preference_accuracy_share", report.accuracy},
                         {"train/preference_margin_nats", report.margin},
                         {"train/learning_rate_share", rate},
                         {"train/gradient_norm", update.gradient_norm},
                         {"train/skipped", update.skipped ? 1.0 : 0.0}});
  }
  if (run.progress != nullptr) {
    run.progress->advance(report.updates,
                          fmt::format("loss {:.3f} ranked right {:.2f} margin {:.3f}",
                                      report.loss,
                                      report.accuracy,
                                      report.margin));
  }
}

}  // namespace

DpoReport train_dpo(TrainableModel& model,
                    const std::vector<TrainingSequence>& pairs,
                    const DpoConfig& config,
                    const Rng& rng,
                    const TrainingRun& run) {
  require_valid(pairs, config);
  DpoReport report;
  std::vector<TailSums> reference;
  std::optional<CheckpointFolder> checkpoints;
  if (run.checkpoints) {
    checkpoints.emplace(*run.checkpoints);
    if (const auto saved = checkpoints->load_latest()) {
      report.updates = saved->number;
      restore_state(saved->blobs.at("state"), report);
      reference = reference_from(saved->blobs.at("reference"), pairs.size());
      restore_model(model, saved->blobs);
      if (run.listener != nullptr) {
        run.listener->restore(saved->blobs.at("listener"));
      }
    }
  }
  if (reference.empty()) {
    reference = reference_sums(model, pairs, config.tokens_per_micro_batch);
  }
  const auto save = [&] {
    Blobs blobs = model_blobs(model);
    blobs["state"] = state_text(report);
    blobs["reference"] = reference_bytes(reference);
    blobs["listener"] = run.listener != nullptr ? run.listener->save() : "";
    checkpoints->save(report.updates, blobs);
  };

  const auto updates = schedule_updates(pairs.size(), config, rng);
  const auto warmup = static_cast<std::size_t>(
      std::ceil(config.warmup_share * static_cast<double>(updates.size())));
  if (run.progress != nullptr) {
    run.progress->begin(run.phase, updates.size(), "updates");
    run.progress->resume(report.updates);
  }
  while (report.updates < updates.size()) {
    const std::vector<std::size_t>& which = updates[report.updates];
    std::vector<TailSums> reference_of_update;
    for (const std::size_t index : which) {
      reference_of_update.push_back(reference[index]);
    }
    const PackedPairs packed = pack_pairs(pointers(pairs, which), config.tokens_per_micro_batch);
    accumulate_pairs(model, packed, reference_of_update, config, report);
    const double rate =
        warmup_cosine(report.updates, updates.size(), warmup, config.final_rate_share);
    const UpdateResult update = model.update(config.optimizer, rate);
    report.skipped_updates += update.skipped ? 1 : 0;
    ++report.updates;
    tell(run, report, rate, update);
    if (checkpoints && report.updates % config.checkpoint_every == 0) {
      save();
    }
  }
  if (checkpoints) {
    save();
  }
  if (run.progress != nullptr) {
    run.progress->end(fmt::format("ranked right {:.2f}", report.accuracy));
  }
  return report;
}

}  // namespace dreamgym
