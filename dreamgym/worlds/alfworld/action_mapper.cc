#include "dreamgym/worlds/alfworld/action_mapper.h"

#include <fmt/format.h>

namespace dreamgym::alfworld {
namespace {

bool is_lamp(std::string_view name) {
  return type_of(name).ends_with("lamp");
}

struct Appliance {
  std::string_view place_type;
  std::string_view verb;
};

constexpr Appliance kAppliances[] = {
    {"sinkbasin", "clean"}, {"microwave", "heat"}, {"fridge", "cool"}};

/// Collects actions that were not just refused.
class Candidates {
 public:
  explicit Candidates(const EpisodeMemory& memory) : memory_(memory) {}

  void add(std::string action) {
    if (!memory_.was_refused(action)) {
      actions_.push_back(std::move(action));
    }
  }
  void add_doors(const std::string& place) {
    const PlaceMemory& known = memory_.place(place);
    if (known.door) {
      add((known.closed ? "open " : "close ") + place);
    } else if (!known.seen) {  // beside the place gone to, and not looked at yet
      add("examine " + place);
    }
  }
  void add_things(const std::string& place) {
    const PlaceMemory& known = memory_.place(place);
    if (known.closed) {
      return;
    }
    for (const std::string& object : known.contents) {
      if (is_lamp(object)) {
        add("use " + object);
      } else if (memory_.held().empty()) {
        add(fmt::format("take {} from {}", object, place));
      }
    }
  }
  void add_treatments(const std::string& place) {
    for (const Appliance& appliance : kAppliances) {
      if (!memory_.held().empty() && type_of(place) == appliance.place_type) {
        add(fmt::format("{} {} with {}", appliance.verb, memory_.held(), place));
      }
    }
  }
  std::vector<std::string> take() && {
    if (actions_.empty()) {
      actions_.emplace_back("look");
    }
    return std::move(actions_);
  }

 private:
  const EpisodeMemory& memory_;
  std::vector<std::string> actions_;
};

class Factory final : public ActionMapperFactory {
 public:
  explicit Factory(PutWording wording) : wording_(wording) {}
  [[nodiscard]] std::unique_ptr<ActionMapper> create() const override {
    return std::make_unique<AlfworldActionMapper>(wording_);
  }

 private:
  PutWording wording_;
};

}  // namespace

void AlfworldActionMapper::reset(std::string_view, std::string_view observation) {
  memory_.reset(observation);
}

void AlfworldActionMapper::observe(std::string_view action, std::string_view observation) {
  memory_.observe(action, observation);
}

std::string AlfworldActionMapper::put(std::string_view object, std::string_view place) const {
  const bool classic =
      wording_ == PutWording::kPutInOn || (wording_ == PutWording::kDetect && memory_.says_put());
  return classic ? fmt::format("put {} in/on {}", object, place)
                 : fmt::format("move {} to {}", object, place);
}

std::vector<std::string> AlfworldActionMapper::candidates() const {
  Candidates actions(memory_);
  for (const std::string& place : memory_.places()) {
    if (!memory_.is_at_hand(place)) {
      actions.add("go to " + place);
    }
  }
  const std::vector<std::string> at_hand = memory_.at_hand();
  for (const std::string& place : at_hand) {
    actions.add_doors(place);
  }
  for (const std::string& place : at_hand) {
    if (!memory_.held().empty() && !memory_.place(place).closed) {
      actions.add(put(memory_.held(), place));
    }
  }
  for (const std::string& place : at_hand) {
    actions.add_things(place);
  }
  for (const std::string& place : at_hand) {
    actions.add_treatments(place);
  }
  return std::move(actions).take();
}

std::unique_ptr<ActionMapperFactory> make_action_mapper_factory(PutWording wording) {
  return std::make_unique<Factory>(wording);
}

}  // namespace dreamgym::alfworld
