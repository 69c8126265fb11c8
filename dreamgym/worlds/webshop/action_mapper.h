// Candidate actions from the page's text alone: what can be clicked here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dreamgym/env/action_mapper.h"
#include "dreamgym/worlds/webshop/episode_reader.h"

namespace dreamgym::webshop {

/// On the search page the queries of suggest_queries(); elsewhere a click on every element, in the
/// shop's own order. Works on real and dreamed pages of the modes "text", "text_rich" and "abstract".
/// Thread safety: none.
class WebshopActionMapper final : public ActionMapper {
 public:
  void reset(std::string_view instruction, std::string_view observation) override {
    reader_.reset(instruction, observation);
  }
  void observe(std::string_view action, std::string_view observation) override {
    reader_.observe(action, observation);
  }
  [[nodiscard]] std::vector<std::string> candidates() const override {
    return reader_.candidates();
  }

 private:
  EpisodeReader reader_;
};

}  // namespace dreamgym::webshop
