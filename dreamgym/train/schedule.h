// Learning-rate schedules as a factor of the peak rate.
#pragma once

#include <cstddef>

namespace dreamgym {

/// Linear warm-up over `warmup` updates, then cosine down to `final_share` at `total`.
/// @return factor in (0, 1].
double warmup_cosine(std::size_t update, std::size_t total, std::size_t warmup, double final_share);

}  // namespace dreamgym
