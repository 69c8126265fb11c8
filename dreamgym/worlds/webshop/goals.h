// What shoppers are asked to buy: goals from human or synthetic instructions, and price tables.
//
// The original draws product prices and price limits unseeded, then shuffles the goals with seed
// 233. Here the draws come from a CPython-compatible stream with a seed of our own; a recorded
// table of the original replaces them. Goals are kept as keys (12 bytes) and written out on demand.
// Source: princeton-nlp/WebShop @ 64fa2a5, goal.py. Thread safety: const members are reentrant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dreamgym/base/file.h"
#include "dreamgym/worlds/webshop/catalogue.h"

namespace dreamgym::webshop {

enum class GoalKind { kHuman, kSynthetic };

/// "human", "synthetic". @throws Error kInvalidArgument naming both.
GoalKind goal_kind_from_name(std::string_view name);

struct GoalOption {
  std::string name{};  ///< "" in human goals, which name values only
  std::string value{};
  bool operator==(const GoalOption&) const = default;
};

struct Goal {
  std::string asin{};
  std::string category{};
  std::string query{};
  std::string name{};  ///< of the product
  std::string product_category{};
  std::string instruction{};  ///< with its price text
  std::vector<std::string> attributes{};
  std::vector<GoalOption> options{};
  bool named_options = false;  ///< synthetic: options are (name, value) pairs
  double price_upper = 0;      ///< dollars; kNoPriceLimit = none
  double weight = 1;           ///< of the original's random draw
  bool operator==(const Goal&) const = default;
};

/// How much it asks for, "2 attributes, 1 option": tasks of one kind take episodes of like length, whatever
/// is bought. More than three attributes or two options: "3+ attributes, 2+ options".
std::string kind_of(const Goal& goal);

inline constexpr double kNoPriceLimit = 1000000;
inline constexpr std::uint64_t kGoalShuffleSeed = 233;

/// A recorded table: {"product_prices": {asin: dollars}, "goals": [[asin, price_upper, text], ...]}
/// of the first goals after the shuffle.
struct PriceTable {
  struct Limit {
    std::string asin{};
    double price_upper = 0;
  };
  std::unordered_map<std::string, double> product_prices{};
  std::vector<Limit> goals{};
};

/// @throws Error kParse, kNotFound naming the file.
PriceTable load_price_table(const Path& path);

struct GoalOptions {
  GoalKind kind = GoalKind::kHuman;
  std::uint64_t price_seed = 0;  ///< of the draws that no table replaces
  const PriceTable* prices = nullptr;
};

class Goals {
 public:
  /// @throws Error kInvalidArgument if the table lacks a product or its goals are others.
  Goals(std::shared_ptr<const Catalogue> catalogue, const GoalOptions& options);

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  /// The goal of a session number. @throws Error kInvalidArgument if there are fewer.
  [[nodiscard]] Goal goal(std::size_t session) const;
  /// Goal::weight of every goal.
  [[nodiscard]] std::vector<double> weights() const;
  /// The asin of the product it asks for.
  [[nodiscard]] std::string_view asin(std::size_t session) const {
    return catalogue_->asin(keys_.at(session).product);
  }
  /// What buying costs, in dollars.
  [[nodiscard]] double price(ProductIndex product) const { return prices_[product]; }

 private:
  struct Key {
    ProductIndex product = 0;
    std::uint32_t variant = 0;  ///< human: which instruction; synthetic: which combination
    float price_upper = 0;
  };

  void draw_prices(const GoalOptions& options);
  void list_goals(const GoalOptions& options);
  void apply_limits(const PriceTable& table);
  [[nodiscard]] double weight_of(const Product& product) const;

  std::shared_ptr<const Catalogue> catalogue_;
  GoalKind kind_;
  std::vector<double> prices_;
  std::vector<Key> keys_;
};

}  // namespace dreamgym::webshop
