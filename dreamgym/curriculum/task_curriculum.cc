#include "dreamgym/curriculum/task_curriculum.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/curriculum/task_text.h"

namespace dreamgym {
namespace {

constexpr double kLargestValue = 0.25;  // of Eq. 7 for returns in [0, 1]
constexpr double kSaturated = 0.9;
constexpr double kHopeless = 0.1;
// Prioritised level replay's own settings: temperature of the ranks, share of the staleness.
constexpr double kReplayTemperature = 0.1;
constexpr double kStaleShare = 0.3;
constexpr double kAlphaSharpness = 10;

constexpr std::array<std::pair<TaskChoice, std::string_view>, 5> kChoices = {
    {{TaskChoice::kValue, "value"},
     {TaskChoice::kUniform, "uniform"},
     {TaskChoice::kHardest, "hardest"},
     {TaskChoice::kReplay, "replay"},
     {TaskChoice::kAlpha, "alpha"}}};

// What is asked for without how it is said: articles, case, blanks and punctuation. The order of the words stays.
std::string plain_words(std::string_view instruction) {
  std::string letters = to_lower(instruction);
  std::ranges::replace_if(
      letters, [](unsigned char c) { return c < 0x80 && std::isalnum(c) == 0; }, ' ');
  std::vector<std::string> kept;
  for (std::string& word : words(letters)) {
    if (word != "a" && word != "an" && word != "the" && word != "some" && word != "please") {
      kept.push_back(std::move(word));
    }
  }
  return join(kept, " ");
}

// Where the task is set and what it asks for.
std::string near_key(const Task& task) {
  const auto place = task.settings.find(task_settings::kFirstObservation);
  const std::string where = place == task.settings.end() ? "" : place->second;
  return to_hex(hash_text(replace_all(where, task.instruction, ""))) + plain_words(task.instruction);
}

void normalise(std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) {
    weight = sum > 0 ? weight / sum : 1.0 / static_cast<double>(weights.size());
  }
}

}  // namespace

TaskChoice task_choice_named(std::string_view name) {
  for (const auto& [choice, known] : kChoices) {
    if (known == name) {
      return choice;
    }
  }
  throw Error(ErrorKind::kConfig,
              fmt::format("curriculum.choice: got '{}', expected value, uniform, hardest, replay or alpha", name));
}

std::string_view task_choice_name(TaskChoice choice) {
  return std::ranges::find(kChoices, choice, &std::pair<TaskChoice, std::string_view>::first)->second;
}

TaskCurriculum::TaskCurriculum(std::vector<Task> original,
                               CurriculumConfig config,
                               TaskVariation vary,
                               std::unique_ptr<TaskClusters> clusters)
    : original_(std::move(original)),
      config_(config),
      vary_(std::move(vary)),
      clusters_(std::move(clusters)),
      values_(config.forgetting),
      values_before_(values_),
      last_played_(original_.size(), 0) {
  if (original_.empty()) {
    throw Error(ErrorKind::kInvalidArgument,
                "the curriculum has no tasks",
                "give at least one trajectory or task description");
  }
  if (config_.generated_share < 0 || config_.generated_share > 1 || config_.value_bias < 0 ||
      config_.value_bias > 1) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("curriculum shares must lie in [0, 1]: generated_share {}, value_bias {}",
                            config_.generated_share,
                            config_.value_bias));
  }
}

std::string TaskCurriculum::content_key(const Task& task) {
  std::string content = task.instruction;
  for (const auto& [key, value] : task.settings) {
    content += '\n' + key + '=' + value;
  }
  return to_hex(hash_text(content));
}

std::string TaskCurriculum::key_of(const Task& task) const {
  return clusters_ == nullptr ? content_key(task) : fmt::format("cluster-{}", clusters_->cluster_of(task));
}

double TaskCurriculum::value(const Task& task) const { return values_.value(key_of(task)); }

void TaskCurriculum::update(const Task& task, std::span<const double> returns) {
  const std::string key = key_of(task);
  if (clusters_ == nullptr) {
    values_.update(key, returns);
    return;
  }
  std::vector<double>& group = returns_[key];
  group.insert(group.end(), returns.begin(), returns.end());
  values_ = values_before_;
  for (const auto& [cluster, of_cluster] : returns_) {
    values_.update(cluster, of_cluster);
  }
}

std::vector<Task> TaskCurriculum::next(std::size_t count, const Rng& rng) {
  values_before_ = values_;
  returns_.clear();
  generate(rng.fork("generate"));
  Rng stream = rng.fork("choose");
  std::vector<Task> chosen;
  const auto most_generated = static_cast<std::size_t>(
      std::floor(config_.generated_share * static_cast<double>(count)));
  std::vector<std::size_t> order(generated_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  stream.shuffle(order);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return value(generated_[a]) > value(generated_[b]);
  });
  for (std::size_t i = 0; i < std::min(most_generated, order.size()); ++i) {
    chosen.push_back(generated_[order[i]]);
    ++counts_.played_generated;
  }

  ++iterations_;
  std::vector<double> weight = weights();
  while (chosen.size() < count) {
    const std::size_t pick = stream.categorical(weight);
    chosen.push_back(original_[pick]);
    last_played_[pick] = iterations_;
    if (count <= original_.size()) {
      weight[pick] = 0;  // no task twice in one iteration while there are enough
    }
    if (std::all_of(weight.begin(), weight.end(), [](double w) { return w <= 0; })) {
      std::fill(weight.begin(), weight.end(), 1.0);
    }
  }
  return chosen;
}

std::vector<double> TaskCurriculum::weights() const {
  if (config_.choice == TaskChoice::kReplay) {
    return replay_weights();
  }
  std::vector<double> weight;
  for (const Task& task : original_) {
    const double p = values_.success_probability(key_of(task));
    switch (config_.choice) {
      case TaskChoice::kValue:
        weight.push_back(1.0 - config_.value_bias + config_.value_bias * value(task) / kLargestValue);
        break;
      case TaskChoice::kHardest:
        // Weights so far apart that the harder one is drawn first, and ties by lot.
        weight.push_back(std::exp(-1000.0 * p) + 1e-300);
        break;
      case TaskChoice::kAlpha:
        weight.push_back(std::exp(-kAlphaSharpness * (p - 0.5) * (p - 0.5)));
        break;
      default:
        weight.push_back(1.0);
    }
  }
  return weight;
}

std::vector<double> TaskCurriculum::replay_weights() const {
  // The spread of a task's last returns stands for its mean absolute advantage; one never played comes first.
  std::vector<double> spread;
  for (const Task& task : original_) {
    const auto known = values_.statistics(key_of(task));
    spread.push_back(known ? std::sqrt(known->last_variance) : 1.0);
  }
  std::vector<std::size_t> order(original_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return spread[a] > spread[b]; });
  std::vector<double> by_rank(original_.size());
  std::vector<double> by_staleness(original_.size());
  std::size_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank = i == 0 || spread[order[i]] != spread[order[i - 1]] ? i + 1 : rank;  // equals share a rank
    by_rank[order[i]] = std::pow(1.0 / static_cast<double>(rank), 1.0 / kReplayTemperature);
    by_staleness[order[i]] = static_cast<double>(iterations_ - last_played_[order[i]]);
  }
  normalise(by_rank);
  normalise(by_staleness);
  for (std::size_t i = 0; i < by_rank.size(); ++i) {
    by_rank[i] = (1 - kStaleShare) * by_rank[i] + kStaleShare * by_staleness[i];
  }
  return by_rank;
}

TaskPools TaskCurriculum::pools() const {
  TaskPools pools;
  for (const auto* tasks : {&original_, &generated_}) {
    for (const Task& task : *tasks) {
      const std::string key = key_of(task);
      const double p = values_.success_probability(key);
      std::size_t& pool = !values_.statistics(key) ? pools.unseen
                          : p >= kSaturated        ? pools.saturated
                          : p <= kHopeless         ? pools.hopeless
                                                   : pools.learnable;
      ++pool;
    }
  }
  return pools;
}

std::size_t TaskCurriculum::generated_done_once() const {
  return static_cast<std::size_t>(std::ranges::count_if(generated_, [&](const Task& task) {
    const auto known = values_.statistics(key_of(task));
    return known && known->successes > 0;
  }));
}

std::vector<TaskLineage> TaskCurriculum::lineage() const {
  std::vector<TaskLineage> all;
  for (const Task& task : generated_) {
    const std::string key = key_of(task);
    const auto known = values_.statistics(key);
    all.push_back({task.id,
                   task.parent_task,
                   task.instruction,
                   known ? known->num_groups : 0,
                   values_.success_probability(key),
                   values_.value(key)});
  }
  return all;
}

std::vector<Task> TaskCurriculum::most_valuable(std::size_t count, Rng& rng) const {
  std::vector<Task> pool = original_;
  rng.shuffle(pool);
  std::stable_sort(pool.begin(), pool.end(), [&](const Task& a, const Task& b) {
    return value(a) > value(b);
  });
  pool.resize(std::min(count, pool.size()));
  return pool;
}

void TaskCurriculum::generate(const Rng& rng) {
  if (!vary_ || config_.generated_share <= 0) {
    return;
  }
  Rng stream = rng.fork("seeds");
  const std::vector<Task> seeds = most_valuable(config_.seeds_per_iteration, stream);
  std::set<std::string> known;
  std::set<std::string> nearly;
  for (const auto* pool : {&original_, &generated_}) {
    for (const Task& task : *pool) {
      known.insert(content_key(task));
      nearly.insert(near_key(task));
    }
  }
  for (Task& task : vary_(seeds, rng.fork("vary"))) {
    if (trim(task.instruction).empty()) {
      ++counts_.empty;
    } else if (task.instruction.size() > config_.max_instruction_bytes) {
      ++counts_.too_long;
    } else if (!known.insert(content_key(task)).second) {
      ++counts_.copies;
    } else if (!nearly.insert(near_key(task)).second) {
      ++counts_.near_copies;
    } else {
      generated_.push_back(std::move(task));
      ++counts_.generated;
    }
  }
  if (generated_.size() > config_.max_generated) {
    std::stable_sort(generated_.begin(), generated_.end(), [&](const Task& a, const Task& b) {
      return value(a) > value(b);
    });
    generated_.resize(config_.max_generated);
  }
}

std::string TaskCurriculum::save() const {
  std::string played;
  for (const std::size_t iteration : last_played_) {
    played += fmt::format(" {}", iteration);
  }
  return tasks_to_text(generated_) +
         fmt::format("counts {} {} {} {} {} {}\n",
                     counts_.generated,
                     counts_.played_generated,
                     counts_.copies,
                     counts_.near_copies,
                     counts_.empty,
                     counts_.too_long) +
         fmt::format("played {}{}\n", iterations_, played) + values_.save();
}

void TaskCurriculum::restore(const std::string& state) {
  std::string_view rest = state;
  generated_ = tasks_from_text(rest);
  // A line that begins with `name` and holds numbers only.
  const auto numbers = [&](std::string_view name) {
    const std::size_t end = rest.find('\n');
    std::vector<std::size_t> read;
    const std::vector<std::string> fields = words(rest.substr(0, end));
    bool good = end != std::string_view::npos && !fields.empty() && fields[0] == name;
    for (std::size_t i = 1; good && i < fields.size(); ++i) {
      const auto number = parse_unsigned(fields[i]);
      good = number.has_value();
      read.push_back(number.value_or(0));
    }
    if (!good) {
      throw Error(ErrorKind::kCorrupt, fmt::format("the curriculum's state is damaged: no line \"{}\"", name));
    }
    rest.remove_prefix(end + 1);
    return read;
  };
  const auto counts = numbers("counts");
  const auto played = numbers("played");
  if (counts.size() != 6 || played.size() != original_.size() + 1) {
    throw Error(ErrorKind::kCorrupt, "the curriculum's state is of other tasks, or damaged");
  }
  counts_ = {counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]};
  iterations_ = played[0];
  last_played_.assign(played.begin() + 1, played.end());
  values_.restore(std::string(rest));
  values_before_ = values_;
  returns_.clear();
}

}  // namespace dreamgym
