// What a dreamed trace claims at an attempt at the goal and at a first look, held against its own words.
//
// A policy that learns from a dream finds every success it grants too easily: taking the only ladle out of
// the drawer and putting it back until the trace says "got: two ladle", or putting a clean cup where the
// task asks for a clean butterknife. Both are told from the trace, the action and the task alone, whatever
// the world; no trace of a real success has either (alfworld: 2,775 attempts, 217 counts).
// Thread safety: pure.
#pragma once

#include <string_view>

#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym {

/// False if the trace wants a thing the task does not name (a name is a word that stands before a number in
/// action or trace, "cup 1"), or got more things of a name ("two ladle", to ten) than it lists as being here.
/// What is not stated is not held against it.
bool claims_are_borne_out(const ReasoningTrace& trace, std::string_view action, std::string_view instruction);

/// False if the trace of a first look finds (kFindField) what is no word of the task.
bool finds_are_asked_for(const ReasoningTrace& trace, std::string_view instruction);

/// False if it finds what is no word of what is shown.
bool finds_are_shown(const ReasoningTrace& trace, std::string_view observation);

/// A success counts: the trace states what was wanted and got, both are the same, and the claims are borne out.
bool success_is_borne_out(const ReasoningTrace& trace, std::string_view action, std::string_view instruction);

}  // namespace dreamgym
