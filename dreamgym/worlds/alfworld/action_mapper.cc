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
  std::vector<std::string> actions;
  const auto add = [&](std::string action) {
    if (!memory_.was_refused(action)) {
      actions.push_back(std::move(action));
    }
  };
  const std::string& at = memory_.at();
  for (const std::string& place : memory_.places()) {
    if (place != at) {
      add("go to " + place);
    }
  }
  if (!at.empty()) {
    const PlaceMemory& here = memory_.place(at);
    const std::string& held = memory_.held();
    if (here.door) {
      add((here.closed ? "open " : "close ") + at);
    }
    if (!here.closed && !held.empty()) {
      add(put(held, at));
    }
    for (const std::string& object : here.contents) {
      if (!here.closed && held.empty() && !is_lamp(object)) {
        add(fmt::format("take {} from {}", object, at));
      }
    }
    for (const std::string& object : here.contents) {
      if (!here.closed && is_lamp(object)) {
        add("use " + object);
      }
    }
    for (const Appliance& appliance : kAppliances) {
      if (!held.empty() && type_of(at) == appliance.place_type) {
        add(fmt::format("{} {} with {}", appliance.verb, held, at));
      }
    }
  }
  if (actions.empty()) {
    actions.emplace_back("look");
  }
  return actions;
}

std::unique_ptr<ActionMapperFactory> make_action_mapper_factory(PutWording wording) {
  return std::make_unique<Factory>(wording);
}

}  // namespace dreamgym::alfworld
