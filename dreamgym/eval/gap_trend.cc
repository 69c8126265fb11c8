#include "dreamgym/eval/gap_trend.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

GapTrend::GapTrend(GapTrendOptions options) : options_(options) {
  if (!(options_.max_rise > 0) || options_.patience == 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("gap trend: max_rise is {}, patience {}; expected numbers above 0",
                            options_.max_rise,
                            options_.patience));
  }
}

void GapTrend::observe(double gap) {
  check(gap >= -1 && gap <= 1, "a gap of two shares lies in [-1, 1]");
  gaps_.push_back(gap);
}

double GapTrend::rise() const { return gaps_.empty() ? 0.0 : gaps_.back() - gaps_.front(); }

double GapTrend::slope() const {
  const auto count = static_cast<double>(gaps_.size());
  if (gaps_.size() < 2) {
    return 0;
  }
  const double middle = (count - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    const double distance = static_cast<double>(i) - middle;
    products += distance * gaps_[i];
    squares += distance * distance;
  }
  return products / squares;
}

bool GapTrend::alarmed() const {
  if (gaps_.size() <= options_.patience || slope() <= 0) {
    return false;
  }
  return std::all_of(gaps_.end() - static_cast<std::ptrdiff_t>(options_.patience),
                     gaps_.end(),
                     [&](double gap) { return gap - gaps_.front() > options_.max_rise; });
}

std::string GapTrend::save() const {
  std::vector<std::string> fields;
  for (const double gap : gaps_) {
    fields.push_back(to_hex(std::bit_cast<std::uint64_t>(gap)));
  }
  return join(fields, " ");
}

void GapTrend::restore(const std::string& state) {
  std::vector<double> gaps;
  for (const std::string& field : words(state)) {
    std::uint64_t bits = 0;
    const auto [end, code] = std::from_chars(field.data(), field.data() + field.size(), bits, 16);
    const double gap = std::bit_cast<double>(bits);
    if (code != std::errc() || end != field.data() + field.size() || !(gap >= -1 && gap <= 1)) {
      throw Error(ErrorKind::kCorrupt,
                  "gap trend: \"" + shorten(field, 40) + "\" is no gap that was saved",
                  "the checkpoint is damaged; resume from the one before");
    }
    gaps.push_back(gap);
  }
  gaps_ = std::move(gaps);
}

}  // namespace dreamgym
