#include "dreamgym/worlds/invented/rooms_wording.h"

#include <array>
#include <initializer_list>

namespace dreamgym::invented {
namespace {

std::string_view one_of(std::initializer_list<std::string_view> patterns, Rng& rng) {
  return draw(std::span(patterns.begin(), patterns.size()), rng);
}

void draw_commands(RoomsWording& wording, Rng& rng) {
  wording.go =
      one_of({"go to {p}", "walk to {p}", "visit {p}", "head to {p}", "approach {p}"}, rng);
  wording.open = one_of({"open {p}", "unseal {p}", "open up {p}", "look into {p}"}, rng);
  wording.close = one_of({"close {p}", "shut {p}", "seal {p}"}, rng);
  wording.take = one_of({"take {x} from {p}",
                         "grab {x}",
                         "pick up {x}",
                         "get {x} from {p}",
                         "fetch {x}",
                         "remove {x} from {p}"},
                        rng);
  wording.put = one_of({"put {x} in {p}",
                        "move {x} to {p}",
                        "drop {x} at {p}",
                        "leave {x} on {p}",
                        "store {x} in {p}",
                        "put {x} in/on {p}"},
                       rng);
  wording.treat =
      one_of({"{v} {x} with {p}", "{v} {x} at {p}", "use {p} to {v} {x}", "{v} the {x}"}, rng);
  wording.inspect = one_of({"examine {p}", "check {p}", "inspect {p}", "search {p}"}, rng);
  wording.hands = one_of({"inventory", "check hands", "what do i hold", "pockets"}, rng);
  wording.look = one_of({"look", "look around", "where am i"}, rng);
}

void draw_replies(RoomsWording& wording, Rng& rng) {
  wording.arrived = one_of({"You arrive at {p}. ",
                            "You are now at the {p}. ",
                            "You walk over to the {p}. ",
                            "{p}. ",
                            "",
                            ""},
                           rng);
  wording.opened = one_of({"You open the {p}. ", "The {p} swings open. ", "Opened. ", ""}, rng);
  wording.closed =
      one_of({"You close the {p}.", "The {p} is shut now.", "Closed: {p}.", "{p} closed."}, rng);
  wording.taken = one_of({"You pick up the {x} from the {p}.",
                          "You take the {x}.",
                          "Now you hold the {x}.",
                          "Taken: {x}.",
                          "The {x} is yours; it leaves the {p}."},
                         rng);
  wording.put_down = one_of({"You put the {x} in the {p}.",
                             "You move the {x} to the {p}.",
                             "The {x} is in the {p} now.",
                             "Dropped: {x}.",
                             "You put the {x} in/on the {p}."},
                            rng);
  wording.treated = one_of({"You {v} the {x} using the {p}.",
                            "The {x} is {s} now.",
                            "Done: {x} is {s}.",
                            "The {p} makes the {x} {s}."},
                           rng);
  wording.refusal = one_of({"Nothing happens.",
                            "Nothing happens.",
                            "That is not possible.",
                            "You can't do that.",
                            "No effect."},
                           rng);
  wording.open_list = one_of({"The {p} is open. In it, you see {l}.",
                              "Inside the {p}: {l}.",
                              "In the {p} there is {l}.",
                              "It holds {l}."},
                             rng);
  wording.plain_list = one_of({"On the {p}, you see {l}.",
                               "There is {l} here.",
                               "You find {l}.",
                               "Here: {l}.",
                               "The {p} holds {l}."},
                              rng);
  wording.is_closed =
      one_of({"The {p} is closed.", "The {p} is shut.", "It is closed.", "Closed."}, rng);
  wording.carrying =
      one_of({"You are carrying: a {x}.", "You hold the {x}.", "In your hands: {x}."}, rng);
  wording.empty_handed =
      one_of({"You are not carrying anything.", "Your hands are empty.", "Nothing."}, rng);
  wording.here = one_of({"You are facing the {p}. Next to it, you see nothing.",
                         "You stand at the {p}.",
                         "This is the {p}."},
                        rng);
  wording.nowhere = one_of({"You are in the middle of a room.", "You stand at the door."}, rng);
}

void draw_tasks(RoomsWording& wording, Rng& rng) {
  wording.opening =
      one_of({"You are in the middle of a room. Looking quickly around you, you see {l}.",
              "Around you: {l}.",
              "This house has {l}.",
              "You can go to {l}."},
             rng);
  wording.device =
      one_of({" The {p} can {v} things.", " Things are {s} after the {p}.", " To {v}: {p}."}, rng);
  wording.place_task = one_of({"put a {x} in {p}.",
                               "put some {x} on {p}.",
                               "bring a {x} to the {p} and leave it there.",
                               "the {p} needs a {x}.",
                               "store the {x} in the {p}."},
                              rng);
  wording.treat_task = one_of({"put a {s} {x} in {p}.",
                               "{v} some {x} and put it in {p}.",
                               "the {p} needs a {s} {x}.",
                               "find a {x}, {v} it, then leave it in the {p}."},
                              rng);
  wording.two_task = one_of({"put two {x} in {p}.",
                             "find two {x} and put them in {p}.",
                             "the {p} needs two {x}.",
                             "gather two {x} at one {p}."},
                            rng);
  wording.bring_task = one_of({"show a {x} at the {p}.",
                               "go to the {p} with a {x} in your hands.",
                               "carry some {x} to the {p}."},
                              rng);
}

}  // namespace

std::vector<Treatment> draw_treatments(std::size_t count, Rng& rng) {
  static constexpr std::array<Treatment, 10> kTreatments = {{{"clean", "clean"},
                                                             {"heat", "hot"},
                                                             {"cool", "cool"},
                                                             {"wash", "washed"},
                                                             {"paint", "painted"},
                                                             {"dry", "dry"},
                                                             {"charge", "charged"},
                                                             {"polish", "shiny"},
                                                             {"mend", "mended"},
                                                             {"freeze", "frozen"}}};
  std::vector<Treatment> treatments(kTreatments.begin(), kTreatments.end());
  rng.shuffle(treatments);
  treatments.resize(count);
  return treatments;
}

RoomsWording draw_rooms_wording(Rng& rng) {
  RoomsWording wording;
  draw_commands(wording, rng);
  draw_replies(wording, rng);
  draw_tasks(wording, rng);
  wording.list = draw_list_form(rng);
  return wording;
}

}  // namespace dreamgym::invented
