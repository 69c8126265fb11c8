// Whether what a dream invents where nobody has looked yet is plausible: the same kinds of things as really are there.
//
// At every first look of held-out real episodes the dream is asked from the true history, under other seeds than any
// other; the kinds of things it names (their words, without numbers) are counted beside the real ones, by the kind of
// place, and held against each other by a chi-square test of homogeneity. Kinds that are expected fewer than five times are put
// together.
// A real place (where it begins, and its name) is one observation however often it is looked at: each counts once, and
// the dreams of it share its weight. Twenty looks into one fridge say nothing about fridges.
// The test takes things as independent, which those of one place are not: its p is too small rather than too large. So
// there is a second p, by exchange: if what is invented is drawn as reality is, the real contents of a place could as well
// be any of those dreamed of it. It asks how often a real set chosen anew from each place gives a statistic as large.
// With few places (one house) neither has any power: measure on episodes of many.
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
  std::size_t looks = 0;          ///< real first looks they were asked at
  std::size_t places = 0;         ///< distinct ones they looked into
  double real_empty = 0;          ///< share of the places with nothing in them
  double dreamed_empty = 0;       ///< the same of the dreams, each place weighing the same
  double real_things = 0;         ///< named in a look, mean over places
  double dreamed_things = 0;
  Counts real;                    ///< each place once
  Counts dreamed;                 ///< each place with the weight of draws / places looks
  ChiSquare test;
  double exchange_p_value = 1;    ///< by exchange within places
};

/// @param held_out   explained real episodes that the dream has not learnt from.
/// @param max_draws  first looks asked about; the episodes are walked through again under new seeds until there are
///                   so many, or nothing to ask about is found.
HiddenContents measure_hidden_contents(StepwiseDream& dream,
                                       std::span<const Trajectory> held_out,
                                       std::size_t max_draws,
                                       const Rng& rng);

}  // namespace dreamgym
