// How one rooms world speaks: a fixed choice of sentence patterns per trajectory.
//
// Slots: {x} an item, {p} a place, {l} a list, {v} a treatment's verb, {s} its state.
// Thread safety: values and pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "dreamgym/base/rng.h"
#include "dreamgym/worlds/invented/phrasing.h"

namespace dreamgym::invented {

/// Something a device does to an item: the command's verb and the state it leaves.
struct Treatment {
  std::string_view verb;
  std::string_view state;
};

/// `count` different treatments.
std::vector<Treatment> draw_treatments(std::size_t count, Rng& rng);

struct RoomsWording {
  // Commands.
  std::string_view go, open, close, take, put, treat, inspect, hands, look;
  // Replies.
  std::string_view arrived, opened, closed, taken, put_down, treated, refusal;
  std::string_view open_list;   ///< contents of a place that can be opened
  std::string_view plain_list;  ///< contents of a place that cannot
  std::string_view is_closed, carrying, empty_handed, here, nowhere;
  // Opening and task sentences.
  std::string_view opening, device;
  std::string_view place_task, treat_task, two_task, bring_task;
  ListForm list;
};

RoomsWording draw_rooms_wording(Rng& rng);

}  // namespace dreamgym::invented
