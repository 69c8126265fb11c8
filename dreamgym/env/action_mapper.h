// Candidate actions from text alone.
//
// An agent that is a small language model chooses among candidates instead of writing commands
// freely. The mapper reads only what the agent reads, so the very same code serves the real world
// and the dream (the paper's rule-based state mapping, section 4.3).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dreamgym {

/// Follows one episode's text and offers the actions that may make sense now.
/// Thread safety: none; one thread per object.
class ActionMapper {
 public:
  virtual ~ActionMapper() = default;
  /// Starts an episode.
  /// @param instruction  the task's sentence.
  /// @param observation  the first observation.
  virtual void reset(std::string_view instruction, std::string_view observation) = 0;
  /// Takes note of an action and of the text that came back.
  virtual void observe(std::string_view action, std::string_view observation) = 0;
  /// Distinct candidate actions, in a fixed order; never empty.
  [[nodiscard]] virtual std::vector<std::string> candidates() const = 0;
};

/// Makes a fresh mapper for an episode.
class ActionMapperFactory {
 public:
  virtual ~ActionMapperFactory() = default;
  [[nodiscard]] virtual std::unique_ptr<ActionMapper> create() const = 0;
};

/// Of a mapper that needs nothing to begin with.
template <class Mapper>
class SimpleMapperFactory final : public ActionMapperFactory {
 public:
  [[nodiscard]] std::unique_ptr<ActionMapper> create() const override {
    return std::make_unique<Mapper>();
  }
};

}  // namespace dreamgym
