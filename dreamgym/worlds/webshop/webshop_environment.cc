#include "dreamgym/worlds/webshop/webshop_environment.h"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/goal_json.h"
#include "dreamgym/worlds/webshop/query_words.h"

namespace dreamgym::webshop {
namespace {

std::string json_list(const std::vector<Clickable>& clickables) {
  nlohmann::json list = nlohmann::json::array();
  for (const Clickable& clickable : clickables) {
    list.push_back(clickable.name);
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Abstract states are made of pages whose elements are marked.
ObservationMode mode_of(const std::string& name) {
  if (name.empty()) {
    return ObservationMode::kText;
  }
  return name == kAbstractMode ? ObservationMode::kTextRich : observation_mode_from_name(name);
}

bool is_abstract(const Task& task) { return setting(task, settings::kMode) == kAbstractMode; }

const char* yes_or_no(bool yes) {
  return yes ? "true" : "false";
}

void add_reward(const Reward& reward, std::map<std::string, std::string>& info) {
  info["score"] = python_repr(reward.reward);
  info["r_type"] = python_repr(reward.r_type);
  info["r_att"] = python_repr(reward.r_att);
  info["w_att"] = python_repr(reward.w_att);
  info["query_match"] = yes_or_no(reward.query_match);
  info["category_match"] = yes_or_no(reward.category_match);
  info["title_score"] = python_repr(reward.title_score);
  if (reward.r_option) {
    info["r_option"] = python_repr(*reward.r_option);
    info["w_option"] = python_repr(reward.w_option);
  }
  info["r_price"] = yes_or_no(reward.r_price);
  info["w_price"] = python_repr(reward.w_price);
  info["type_fits"] = yes_or_no(reward.r_type >= 1);
  if (!reward.missed.empty()) {
    info["missed"] = join(reward.missed, ", ");
  }
}

}  // namespace

WebshopEnvironment::WebshopEnvironment(std::shared_ptr<ShopLibrary> library)
    : library_(std::move(library)) {}

Observation WebshopEnvironment::reset(const Task& task, std::uint64_t seed) {
  session_.reset();
  const std::string mode = setting(task, settings::kMode);
  mode_ = mode_of(mode);
  abstract_.reset();
  num_prev_obs_ = number_setting(task, settings::kNumPrevObs);
  num_prev_actions_ = number_setting(task, settings::kNumPrevActions);
  if (is_abstract(task) && num_prev_obs_ + num_prev_actions_ > 0) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("task \"{}\": mode abstract shows no earlier observations, got {} "
                            "num_prev_obs and {} num_prev_actions",
                            task.id,
                            num_prev_obs_,
                            num_prev_actions_));
  }
  auto shop = library_->find(task);
  const std::uint64_t number = number_setting(task, settings::kSession);
  const std::string given = setting(task, settings::kGoal);
  Goal goal = given.empty() ? shop->goals().goal(number) : goal_from_json(given);
  pages_.clear();
  actions_.clear();
  session_.emplace(std::move(shop), std::to_string(number), std::move(goal), seed);
  const std::string page = render(session_->shop(), session_->state(), mode_);
  if (is_abstract(task)) {
    abstract_.emplace();
    const std::string state = abstract_->reset(session_->state().goal.instruction, page);
    reader_.reset(session_->state().goal.instruction, state);
    return {state, reader_.candidates()};
  }
  if (num_prev_obs_ > 0) {
    pages_.push_back(page);
  }
  return {page, admissible()};
}

StepResult WebshopEnvironment::step(const Action& action) {
  check(session_ && !session_->done(), "step() comes after reset() and before the episode's end");
  if (abstract_) {
    return step_abstract(action);
  }
  StepResult result;
  result.action_valid = session_->act(action);
  if (num_prev_actions_ > 0) {
    actions_.push_back(action);
  }
  result.observation = {text(), admissible()};
  if (num_prev_obs_ > 0) {
    pages_.push_back(render(session_->shop(), session_->state(), mode_));
  }
  conclude(result);
  return result;
}

StepResult WebshopEnvironment::step_abstract(const Action& action) {
  StepResult result;
  const Action shop_action = abstract_->to_world(action);
  result.action_valid = session_->act(shop_action);
  result.observation.text =
      abstract_->observe(shop_action,
                         result.action_valid,
                         render(session_->shop(), session_->state(), mode_));
  reader_.observe(action, result.observation.text);
  if (!session_->done()) {
    result.observation.admissible = reader_.candidates();
  }
  conclude(result);
  return result;
}

void WebshopEnvironment::conclude(StepResult& result) const {
  result.terminated = session_->done();
  result.reward = session_->done() ? session_->state().reward.reward : 0;
  result.info = info();
}

std::map<std::string, std::string> WebshopEnvironment::info() const {
  const SessionState& state = session().state();
  std::map<std::string, std::string> info = {
      {"url", state.url},
      {"has_search_bar", yes_or_no(state.page_kind == PageKind::kSearch)},
      {"clickables", json_list(session().clickables())},
      {"won", yes_or_no(session().done() && state.reward.reward >= 1)}};
  if (session().done()) {
    info["asin"] = session().shop().catalogue().asin(state.product);
    info["options"] = python_json(state.options);
    add_reward(state.reward, info);
  }
  return info;
}

const Session& WebshopEnvironment::session() const {
  check(session_.has_value(), "a session begins with reset()");
  return *session_;
}

std::string WebshopEnvironment::text() const {
  // Latest first, as the original collects it.
  std::vector<std::string> parts = {render(session_->shop(), session_->state(), mode_)};
  for (std::size_t i = 1; i <= std::max(num_prev_obs_, num_prev_actions_); ++i) {
    if (i <= num_prev_actions_ && i <= actions_.size()) {
      parts.push_back(actions_[actions_.size() - i]);
    }
    if (i <= num_prev_obs_ && i <= pages_.size()) {
      parts.push_back(pages_[pages_.size() - i]);
    }
  }
  std::ranges::reverse(parts);
  return join(parts, " [SEP] ");
}

std::vector<std::string> WebshopEnvironment::admissible() const {
  std::vector<std::string> actions;
  if (session_->state().page_kind == PageKind::kSearch) {
    for (const std::string& query : suggest_queries(session_->state().goal.instruction)) {
      actions.push_back(fmt::format("search[{}]", query));
    }
    return actions;
  }
  for (const Clickable& clickable : session_->clickables()) {
    if (!clickable.name.empty()) {
      actions.push_back(fmt::format("click[{}]", clickable.name));
    }
  }
  return actions;
}

}  // namespace dreamgym::webshop
