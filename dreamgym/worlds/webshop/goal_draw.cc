#include "dreamgym/worlds/webshop/goal_draw.h"

#include <algorithm>
#include <utility>

#include "dreamgym/base/error.h"

namespace dreamgym::webshop {
namespace {

constexpr int kNameLetters = 10;

}  // namespace

GoalDraw::GoalDraw(const Goals& goals) : random_(kGoalShuffleSeed) {
  if (goals.size() == 0) {
    throw Error(ErrorKind::kInvalidArgument, "webshop: no goal to draw: the shop has none");
  }
  for (std::size_t i = goals.size(); i > 1; --i) {
    random_.below(i);  // the shuffle's draws
  }
  sums_ = goals.weights();
  double sum = 0;
  for (double& weight : sums_) {
    sum += std::exchange(weight, sum);
  }
  sums_.push_back(sum);
}

std::size_t GoalDraw::next() {
  return random_index(sums_, random_);
}

std::size_t GoalDraw::next_reset() {
  for (int i = 0; i < kNameLetters; ++i) {
    random_.random();
  }
  return next();
}

std::size_t random_index(std::span<const double> sums, PythonRandom& random) {
  const double position = random.uniform(0, sums.back());
  const auto found = std::ranges::upper_bound(sums, position) - sums.begin();
  return std::min(static_cast<std::size_t>(found), sums.size() - 2);
}

}  // namespace dreamgym::webshop
