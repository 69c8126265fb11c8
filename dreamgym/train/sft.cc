#include "dreamgym/train/sft.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/train/checkpoint.h"
#include "dreamgym/train/model_state.h"
#include "dreamgym/train/packing.h"
#include "dreamgym/train/schedule.h"

namespace dreamgym {
namespace {

constexpr double kLossMemory = 0.98;  // of the running mean shown as progress

struct PartLoss {
  std::array<double, kNumLossParts> sum{};
  std::array<double, kNumLossParts> weight{};

  void add(const TaughtBatches& taught, const std::vector<std::vector<TokenScore>>& scores) {
    for (std::size_t b = 0; b < scores.size(); ++b) {
      for (std::size_t q = 0; q < scores[b].size(); ++q) {
        const auto part = static_cast<std::size_t>(taught.parts[b][q]);
        sum[part] -= static_cast<double>(taught.weights[b][q]) * scores[b][q].logprob;
        weight[part] += taught.weights[b][q];
      }
    }
  }
  [[nodiscard]] double mean(std::size_t part) const {
    return weight[part] > 0 ? sum[part] / weight[part] : 0.0;
  }
};

std::vector<const TrainingSequence*> pointers(const std::vector<TrainingSequence>& sequences) {
  std::vector<const TrainingSequence*> out;
  for (const TrainingSequence& sequence : sequences) {
    out.push_back(&sequence);
  }
  return out;
}

// Renames content names consistently within a sequence, so that guessing a frequent one does not pay.
void permute_names(TrainingSequence& sequence, const std::vector<TokenId>& names, Rng& rng) {
  std::vector<TokenId> shuffled = names;
  rng.shuffle(shuffled);
  std::map<TokenId, TokenId> renamed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    renamed[names[i]] = shuffled[i];
  }
  const auto apply = [&](TokenRun& run) {
    for (TokenId& token : run.tokens) {
      const auto found = renamed.find(token);
      token = found == renamed.end() ? token : found->second;
    }
  };
  apply(sequence.trunk);
  for (auto& branch : sequence.branches) {
    apply(branch.run);
  }
}

// Indices of the sequences of every update of every epoch.
std::vector<std::vector<std::size_t>> schedule_updates(
    const std::vector<TrainingSequence>& sequences, const SftConfig& config, const Rng& rng) {
  std::vector<std::vector<std::size_t>> updates;
  double remaining = config.epochs;
  for (std::size_t epoch = 0; remaining > 1e-9; ++epoch, remaining -= 1.0) {
    std::vector<std::size_t> order(sequences.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Rng stream = rng.fork("epoch", epoch);
    stream.shuffle(order);
    if (remaining < 1.0) {
      order.resize(static_cast<std::size_t>(
          std::ceil(remaining * static_cast<double>(order.size()))));
    }
    std::size_t tokens = config.tokens_per_update;
    for (const std::size_t index : order) {
      if (tokens >= config.tokens_per_update) {
        updates.emplace_back();
        tokens = 0;
      }
      updates.back().push_back(index);
      tokens += sequences[index].num_tokens();
    }
  }
  return updates;
}

}  // namespace

std::string_view loss_part_name(LossPart part) {
  constexpr std::array<std::string_view, kNumLossParts> kNames = {
      "none", "trace", "state", "action", "task", "text"};
  return kNames[static_cast<std::size_t>(part)];
}

TeachingPlan epoch_plan(std::vector<TrainingSequence> sequences,
                        const SftConfig& config,
                        const Rng& rng,
                        std::vector<TokenId> permutable) {
  std::erase_if(sequences, [](const TrainingSequence& s) { return s.num_tokens() < 2; });
  if (sequences.empty()) {
    throw Error(ErrorKind::kInvalidArgument, "there is nothing to learn from: no sequence has tokens");
  }
  auto kept = std::make_shared<const std::vector<TrainingSequence>>(std::move(sequences));
  auto updates = std::make_shared<const std::vector<std::vector<std::size_t>>>(
      schedule_updates(*kept, config, rng));
  TeachingPlan plan;
  plan.num_updates = updates->size();
  plan.sequences = [kept, updates, rng, config, permutable](std::size_t update) {
    std::vector<TrainingSequence> out;
    Rng stream = rng.fork("permute", update);
    for (const std::size_t index : (*updates)[update]) {
      out.push_back((*kept)[index]);
      if (!permutable.empty() && stream.uniform() < config.name_permutation) {
        permute_names(out.back(), permutable, stream);
      }
    }
    return out;
  };
  return plan;
}

SftReport train_sft(TrainableModel& model,
                    const TeachingPlan& plan,
                    const SftConfig& config,
                    const TrainingRun& run) {
  SftReport report;
  std::optional<CheckpointFolder> checkpoints;
  if (run.checkpoints) {
    checkpoints.emplace(*run.checkpoints);
    if (const auto saved = checkpoints->load_latest()) {
      report.updates = saved->number;
      restore_model(model, saved->blobs);
      restore_state(saved->blobs.at("state"), report);
      if (run.listener != nullptr) {
        run.listener->restore(saved->blobs.at("listener"));
      }
    }
  }
  const auto save = [&] {
    Blobs blobs = model_blobs(model);
    blobs["state"] = state_text(report);
    blobs["listener"] = run.listener != nullptr ? run.listener->save() : "";
    checkpoints->save(report.updates, blobs);
  };

  const auto warmup = static_cast<std::size_t>(
      std::ceil(config.warmup_share * static_cast<double>(plan.num_updates)));
  if (run.progress != nullptr) {
    run.progress->begin(run.phase, plan.num_updates, "updates");
    run.progress->resume(report.updates);
  }
  while (report.updates < plan.num_updates) {
    const std::vector<TrainingSequence> sequences = plan.sequences(report.updates);
    const TaughtBatches taught = pack_sequences(pointers(sequences), config.tokens_per_micro_batch);
    const auto scores = model.accumulate(
        taught.batches, [&](std::size_t b, std::span<const TokenScore> of_batch) {
          // loss = -sum(w logprob) / sum(w): Eq. 5 with equal weights of its two terms per token.
          std::vector<TokenGradient> gradient(of_batch.size());
          for (std::size_t q = 0; q < of_batch.size(); ++q) {
            gradient[q].logprob = static_cast<float>(-taught.weights[b][q] / taught.total_weight);
          }
          return gradient;
        });
    const double rate =
        warmup_cosine(report.updates, plan.num_updates, warmup, config.final_rate_share);
    const UpdateResult update = model.update(config.optimizer, rate);

    PartLoss loss;
    loss.add(taught, scores);
    std::map<std::string, double> values = {{"train/learning_rate_share", rate},
                                            {"train/gradient_norm", update.gradient_norm},
                                            {"train/skipped", update.skipped ? 1.0 : 0.0}};
    std::string remark;
    for (std::size_t part = 0; part < kNumLossParts; ++part) {
      if (loss.weight[part] <= 0) {
        continue;
      }
      double& mean = report.last_loss[part];
      mean = mean == 0 ? loss.mean(part) : kLossMemory * mean + (1 - kLossMemory) * loss.mean(part);
      const std::string_view name = loss_part_name(static_cast<LossPart>(part));
      values[fmt::format("train/loss_{}_nats", name)] = loss.mean(part);
      remark += fmt::format("{} {:.3f} ", name, mean);
    }
    report.tokens += taught.num_tokens;
    report.skipped_updates += update.skipped ? 1 : 0;
    ++report.updates;
    if (run.metrics != nullptr) {
      run.metrics->record(run.phase, report.updates, values);
    }
    if (run.progress != nullptr) {
      run.progress->advance(report.updates, remark);
    }
    if (checkpoints && report.updates % config.checkpoint_every == 0) {
      save();
    }
  }
  if (checkpoints) {
    save();
  }
  if (run.progress != nullptr) {
    run.progress->end(fmt::format("{} tokens", report.tokens));
  }
  return report;
}

std::array<double, kNumLossParts> evaluate_sft(const TrainableModel& model,
                                               const std::vector<TrainingSequence>& sequences,
                                               std::size_t tokens_per_micro_batch) {
  const TaughtBatches taught = pack_sequences(pointers(sequences), tokens_per_micro_batch);
  PartLoss loss;
  loss.add(taught, model.score(taught.batches));
  std::array<double, kNumLossParts> means{};
  for (std::size_t part = 0; part < kNumLossParts; ++part) {
    means[part] = loss.mean(part);
  }
  return means;
}

}  // namespace dreamgym
