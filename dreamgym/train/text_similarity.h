// How much of two texts is the same, by matching blocks (Ratcliff and Obershelp).
//
// Thread safety: reentrant.
#pragma once

#include <string_view>

namespace dreamgym {

/// 2 M / (|a| + |b|), M = bytes in matching blocks: the longest common block, then likewise to its
/// left and to its right. The earliest block in a, then in b, wins among equally long ones.
///
/// @return     in [0, 1]; 1 for equal texts, two empty ones included. Not symmetric.
/// Cost:       O(|a| |b|) in the worst case.
/// Deviation:  Python's difflib counts characters, and by default skips frequent ones in texts of
///             200 or more, which makes near-equal pages look unlike; here nothing is skipped.
/// Source:     Python difflib.SequenceMatcher.ratio with autojunk off.
double matching_ratio(std::string_view a, std::string_view b);

/// matching_ratio(a, b) >= threshold, decided without it where lengths or letters already say no.
bool is_similar(std::string_view a, std::string_view b, double threshold);

}  // namespace dreamgym
