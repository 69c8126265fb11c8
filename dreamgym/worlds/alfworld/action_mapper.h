// Candidate actions of an ALFWorld episode, from its text alone.
#pragma once

#include <memory>

#include "dreamgym/env/action_mapper.h"
#include "dreamgym/worlds/alfworld/episode_memory.h"

namespace dreamgym::alfworld {

/// Wording of the action that puts something down.
enum class PutWording { kDetect, kMoveTo, kPutInOn };

/// Order: go to every other place of the room; open, close or (beside the place gone to) examine
/// what is at hand; put the held object down; take what was shown there and use lamps; clean, heat
/// or cool at the appliances. Actions that just brought "Nothing happens." are left out until
/// something changes.
class AlfworldActionMapper final : public ActionMapper {
 public:
  explicit AlfworldActionMapper(PutWording wording = PutWording::kDetect) : wording_(wording) {}
  void reset(std::string_view instruction, std::string_view observation) override;
  void observe(std::string_view action, std::string_view observation) override;
  [[nodiscard]] std::vector<std::string> candidates() const override;

 private:
  [[nodiscard]] std::string put(std::string_view object, std::string_view place) const;

  PutWording wording_;
  EpisodeMemory memory_;
};

std::unique_ptr<ActionMapperFactory> make_action_mapper_factory(
    PutWording wording = PutWording::kDetect);

}  // namespace dreamgym::alfworld
