// Where an episode has shown things to be, as far as its traces and texts say: the record against which
// what the model says next is checked, and to which it can be held.
//
// Generic: a thing is a word and a number ("mug 1"); a place is a trace's "at" if it is a thing, too; what is there is a
// trace's "here", or what an observation with effect "new" or "again" names. No knowledge of a world. What was
// changed without a "here" is no longer known. A thing is in one place: what an action takes or puts leaves every other.
// Thread safety: as std::map.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/data/reasoning_trace.h"

namespace dreamgym {

/// The first thing of a text that can't be true, and what could.
struct NamingFault {
  enum class Kind {
    kOther,   ///< what is named can't be there: one of `instead` can
    kTooFew,  ///< the list goes on: one of `instead` is there, too
    kTooMany  ///< the list is over before this
  };
  Kind kind = Kind::kOther;
  std::size_t begin = 0;       ///< of what is named, bytes; kTooFew: the end of the text
  std::size_t end = 0;         ///< of the same
  std::size_t listed_end = 0;  ///< of what was listed rightly before, bytes; 0 = nothing was
  std::size_t first_end = 0;   ///< of the first thing listed rightly; 0 = nothing was
  std::size_t second_begin = 0;  ///< of the second one: between them stands what joins a list; 0 = there is none
  std::vector<std::string> instead{};  ///< in the order they were stated; kTooMany: empty
};

class ShownFacts {
 public:
  /// Learns from one step.
  void observe(const ReasoningTrace& trace, std::string_view action, std::string_view observation);

  /// Whether a trace can be true: only things that the action names come into the hand, or to a place
  /// whose contents are known, or leave it (contents_after()); nothing is listed twice; a place that the action names is
  /// seen again only after it was seen; who moves a thing where he is does not get elsewhere by it.
  [[nodiscard]] bool contradicts(const ReasoningTrace& trace, std::string_view action) const;

  /// Whether an observation can be true: it is the same text as before where known_text() says so, and
  /// fault_in() finds nothing.
  [[nodiscard]] bool contradicts(const ReasoningTrace& trace,
                                 std::string_view action,
                                 std::string_view observation) const;

  /// What is at a place after an action that took one thing of its own from there or put one there, if what was there
  /// is known. Nothing for other traces.
  [[nodiscard]] std::optional<std::vector<std::string>> contents_after(const ReasoningTrace& trace,
                                                                       std::string_view action) const;

  /// Where who moves a thing still is, if the trace has him elsewhere, in a place that the action does not name.
  [[nodiscard]] std::optional<std::string> left_without_leave(const ReasoningTrace& trace,
                                                              std::string_view action) const;

  /// What an action brings that shows or meets closed what it did last time, while no other action has named a thing of
  /// it since: the same words.
  [[nodiscard]] std::optional<std::string> known_text(const ReasoningTrace& trace, std::string_view action) const;

  /// The first thing that an observation names and can't. Contents shown for the first time name nothing twice, nothing
  /// that lies elsewhere and nothing that is held: another thing of that word can be there. Contents shown again name what
  /// is known to be there, all of it. Things of the action and the place itself don't count, except that a change
  /// which names as many things as its action names the same ones.
  [[nodiscard]] std::optional<NamingFault> fault_in(const ReasoningTrace& trace,
                                                    std::string_view action,
                                                    std::string_view observation) const;

 private:
  using Things = std::vector<std::string>;  // in the order they were stated
  struct Reply {
    bool is_closed = false;
    bool was_there = false;  // the place was already the agent's
    std::string at;
    std::string observation;
  };

  [[nodiscard]] bool is_elsewhere(const std::string& thing, std::string_view at) const;
  /// Things of that word that are nowhere yet, the lowest numbers first, up to one more than any number known.
  [[nodiscard]] Things unused(std::string_view word, std::string_view at, const Things& listed) const;
  void take_away(const Things& things, std::string_view except);
  void remember_reply(const ReasoningTrace& trace, std::string_view action, std::string_view observation);

  std::map<std::string, Things, std::less<>> contents_;  // by place
  std::set<std::string, std::less<>> seen_;              // places whose contents were shown at some time
  std::map<std::string, Reply, std::less<>> replies_;    // by action; looks that nothing has touched since
  std::string at_;
  std::optional<Things> held_;  // nothing before the first step
};

}  // namespace dreamgym
