#include "dreamgym/apps/dream_listener.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {

std::map<std::string, double> DreamListener::uncounted() const {
  std::map<std::string, double> values = before_;
  for (const auto& [name, value] : dreamer_.progress()) {
    const auto told = told_.find(name);
    values[name] += value - (told == told_.end() ? 0 : told->second);
  }
  return values;
}

void DreamListener::on_iteration(std::size_t iteration,
                                 const std::vector<Episode>& episodes,
                                 const std::map<std::string, double>& metrics) {
  std::map<std::string, double> values = metrics;
  for (const auto& [name, value] : uncounted()) {
    values["dream/" + name] = value;
  }
  before_.clear();
  told_ = dreamer_.progress();
  recorder_.on_iteration(iteration, episodes, values);
}

std::string DreamListener::save() const {
  return fmt::format("{}&{}&{}", recorder_.save(), dreamer_.save(), nlohmann::json(uncounted()).dump());
}

void DreamListener::restore(const std::string& state) {
  const std::vector<std::string> parts = split(state, '&');
  const auto counted = nlohmann::json::parse(parts.back(), nullptr, false);
  if (parts.size() != 3 || !counted.is_object()) {
    throw Error(ErrorKind::kCorrupt,
                "the state of the dream's counts is damaged: " + shorten(state, 60),
                "resume from the checkpoint before");
  }
  before_ = counted.get<std::map<std::string, double>>();
  if (!parts[1].empty()) {
    dreamer_.restore(parts[1]);
  }
  told_ = dreamer_.progress();
  recorder_.restore(parts[0]);
}

}  // namespace dreamgym
