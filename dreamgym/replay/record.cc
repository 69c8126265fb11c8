#include "dreamgym/replay/record.h"

#include <bit>

#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

// Fields are written with their length, so that moving a character from one to the next changes
// the hash.
void append_field(std::string& bytes, std::string_view field) {
  std::uint64_t size = field.size();
  for (int i = 0; i < 8; ++i, size >>= 8) {
    bytes += static_cast<char>(size & 0xff);
  }
  bytes += field;
}

void append_number(std::string& bytes, double number) {
  append_field(bytes, to_hex(std::bit_cast<std::uint64_t>(number)));
}

void append_list(std::string& bytes, const std::vector<std::string>& list) {
  append_field(bytes, to_hex(list.size()));
  for (const auto& item : list) {
    append_field(bytes, item);
  }
}

void append_transition(std::string& bytes, const Transition& transition) {
  append_field(bytes, transition.observation.text);
  append_field(bytes, transition.action);
  append_field(bytes, transition.next_observation.text);
  append_list(bytes, transition.next_observation.admissible);
  append_number(bytes, transition.reward);
  bytes += transition.action_valid ? 'v' : '-';
  bytes += transition.terminated ? 't' : '-';
  bytes += transition.truncated ? 'u' : '-';
}

}  // namespace

std::string_view provenance_name(Provenance provenance) {
  return provenance == Provenance::kReal ? "real" : "dreamed";
}

std::string content_id(const StoredTransition& record) {
  std::string bytes;
  bytes.reserve(1024);
  append_field(bytes, record.world);
  append_field(bytes, record.split);
  append_field(bytes, record.instruction);
  append_list(bytes, record.transition.observation.admissible);
  append_transition(bytes, record.transition);
  return to_hex(hash_text(bytes));
}

std::uint64_t demonstration_hash(const Transition& transition) {
  std::string bytes;
  bytes.reserve(1024);
  append_transition(bytes, transition);
  return hash_text(bytes);
}

std::vector<StoredTransition> to_records(const Trajectory& trajectory) {
  std::vector<StoredTransition> records;
  records.reserve(trajectory.steps.size());
  for (std::size_t i = 0; i < trajectory.steps.size(); ++i) {
    if (trajectory.steps[i].info.contains(transition_info::kInfrastructureError)) {
      continue;
    }
    StoredTransition record;
    record.transition = trajectory.steps[i];
    record.instruction = trajectory.task.instruction;
    record.world = trajectory.task.world;
    record.split = trajectory.task.split;
    record.episode_id = trajectory.episode_id;
    record.step_index = i;
    record.provenance = trajectory.provenance;
    record.policy_version = trajectory.policy_version;
    record.simulator_version = trajectory.simulator_version;
    record.id = content_id(record);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace dreamgym
