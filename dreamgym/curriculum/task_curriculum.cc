#include "dreamgym/curriculum/task_curriculum.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/number.h"
#include "dreamgym/base/text.h"
#include "dreamgym/curriculum/task_text.h"

namespace dreamgym {

TaskCurriculum::TaskCurriculum(std::vector<Task> original,
                               CurriculumConfig config,
                               TaskVariation vary)
    : original_(std::move(original)),
      config_(config),
      vary_(std::move(vary)),
      values_(config.forgetting) {
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

double TaskCurriculum::value(const Task& task) const { return values_.value(content_key(task)); }

void TaskCurriculum::update(const Task& task, std::span<const double> returns) {
  values_.update(content_key(task), returns);
}

std::vector<Task> TaskCurriculum::next(std::size_t count, const Rng& rng) {
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

  std::vector<double> weights;
  for (const Task& task : original_) {
    // 0.25 is the largest value a task can have.
    weights.push_back(1.0 - config_.value_bias + config_.value_bias * value(task) / 0.25);
  }
  while (chosen.size() < count) {
    const std::size_t pick = stream.categorical(weights);
    chosen.push_back(original_[pick]);
    if (count <= original_.size()) {
      weights[pick] = 0;  // no task twice in one iteration while there are enough
    }
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w <= 0; })) {
      std::fill(weights.begin(), weights.end(), 1.0);
    }
  }
  return chosen;
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
  for (const auto* pool : {&original_, &generated_}) {
    for (const Task& task : *pool) {
      known.insert(content_key(task));
    }
  }
  for (Task& task : vary_(seeds, rng.fork("vary"))) {
    if (known.insert(content_key(task)).second) {
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
  return tasks_to_text(generated_) +
         fmt::format("counts {} {}\n", counts_.generated, counts_.played_generated) +
         values_.save();
}

void TaskCurriculum::restore(const std::string& state) {
  std::string_view rest = state;
  generated_ = tasks_from_text(rest);
  const std::size_t end = rest.find('\n');
  const std::vector<std::string> fields = words(rest.substr(0, end));
  const bool is_counts =
      end != std::string_view::npos && fields.size() == 3 && fields[0] == "counts";
  const auto generated = is_counts ? parse_unsigned(fields[1]) : std::nullopt;
  const auto played = is_counts ? parse_unsigned(fields[2]) : std::nullopt;
  if (!generated || !played) {
    throw Error(ErrorKind::kCorrupt, "the curriculum's state is damaged");
  }
  counts_.generated = *generated;
  counts_.played_generated = *played;
  values_.restore(std::string(rest.substr(end + 1)));
}

}  // namespace dreamgym
