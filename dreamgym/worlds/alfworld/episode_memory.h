// What a reader of an episode knows, from its text alone.
//
// The one memory that the action mapper, the expert, the text explainer and the audit share.
// Thread safety: none; one thread per object. Values otherwise.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/worlds/alfworld/action_text.h"
#include "dreamgym/worlds/alfworld/reply_text.h"

namespace dreamgym::alfworld {

struct PlaceMemory {
  bool seen = false;                  ///< its contents have been shown
  bool door = false;                  ///< it can be opened and closed
  bool closed = false;                ///< as last shown
  std::vector<std::string> contents;  ///< as shown and changed since, in the shown order
};

class EpisodeMemory {
 public:
  /// @param observation  the first one, with or without welcome and task.
  void reset(std::string_view observation);
  void observe(std::string_view action, std::string_view observation);

  /// Places in the room's order.
  [[nodiscard]] const std::vector<std::string>& places() const { return places_; }
  /// What is known of a place; nothing known = default values.
  [[nodiscard]] const PlaceMemory& place(std::string_view name) const;
  [[nodiscard]] const std::string& at() const { return at_; }      ///< "" at the start
  [[nodiscard]] const std::string& held() const { return held_; }  ///< "" = nothing
  /// "clean", "hot", "cool" of those that hold, in this order.
  [[nodiscard]] std::vector<std::string> conditions(std::string_view object) const;
  [[nodiscard]] bool has_condition(std::string_view object, std::string_view word) const;
  [[nodiscard]] bool was_used(std::string_view lamp) const { return used_.contains(lamp); }
  [[nodiscard]] const std::set<std::string, std::less<>>& used() const { return used_; }
  /// The place where the object was last shown or put; "" if unknown or held.
  [[nodiscard]] std::string place_of(std::string_view object) const;
  /// The place the agent went to, and those it could not go to from there: they share its location.
  [[nodiscard]] std::vector<std::string> at_hand() const;
  [[nodiscard]] bool is_at_hand(const std::string& place) const;
  /// What lies where the reply took or put something; nothing if it did neither, if the agent stands
  /// elsewhere, or if not all of it has been shown. Call after observe().
  [[nodiscard]] std::optional<std::vector<std::string>> changed_here(const Reply& reply) const;
  /// The action brought "Nothing happens." since the last change.
  [[nodiscard]] bool was_refused(std::string_view action) const {
    return refused_.contains(action);
  }
  /// The texts say "put ... in/on ..." or look like the dialects that do.
  [[nodiscard]] bool says_put() const { return says_put_; }

 private:
  PlaceMemory& remember(const std::string& name) { return memory_[name]; }
  void change(const ActionText& action, const Reply& reply);
  void treat(const std::string& object, std::string_view word);
  void detect_dialect(std::string_view action, std::string_view observation);

  std::vector<std::string> places_;
  std::map<std::string, PlaceMemory, std::less<>> memory_;
  std::map<std::string, std::set<std::string>, std::less<>> conditions_;
  std::set<std::string, std::less<>> used_;
  std::set<std::string, std::less<>> refused_;
  std::map<std::string, std::set<std::string>> beside_;  ///< places that share a location
  std::string at_;
  std::string held_;
  bool says_put_ = false;
};

}  // namespace dreamgym::alfworld
