// Whether what a dream invents where nobody has looked yet is plausible: the same kinds of things as really are there.
//
// At every first look of held-out real episodes the dream is asked from the true history, under other seeds than any
// other; the kinds of things it names (their words, without numbers) are counted beside the real ones, by the kind of
// place, and held against each other by a chi-square test of homogeneity. Kinds that are expected fewer than five times are put
// together.
// The test takes things as independent, which those of one place are not: its p flatters nobody, it is too small
// rather than too large.
// Thread safety: as the dream.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "dreamgym/base/rng.h"
#include "dreamgym/experience/stepwise_dream.h"

namespace dreamgym {

struct ChiSquare {
  double statistic = 0;
  std::size_t degrees = 0;
  double p_value = 1;  ///< of homogeneity
};

/// Of two samples of counts by kind. Kinds with an expected count below five in either are one kind.
ChiSquare homogeneity(const std::map<std::string, double>& a, const std::map<std::string, double>& b);

struct HiddenContents {
  using Counts = std::map<std::string, double>;  // by "thing in place"
  std::size_t draws = 0;          ///< first looks dreamed
  std::size_t looks = 0;          ///< distinct real first looks they were asked at
  std::size_t real_empty = 0;     ///< of the draws' real counterparts, places with nothing in them
  std::size_t dreamed_empty = 0;
  double real_things = 0;         ///< named in a look, mean
  double dreamed_things = 0;
  Counts real;
  Counts dreamed;
  ChiSquare test;
};

/// @param held_out   explained real episodes that the dream has not learnt from.
/// @param max_draws  first looks asked about; the episodes are walked through again under new seeds until there are
///                   so many, or nothing to ask about is found.
HiddenContents measure_hidden_contents(StepwiseDream& dream,
                                       std::span<const Trajectory> held_out,
                                       std::size_t max_draws,
                                       const Rng& rng);

}  // namespace dreamgym
