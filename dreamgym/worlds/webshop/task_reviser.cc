#include "dreamgym/worlds/webshop/task_reviser.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"
#include "dreamgym/worlds/webshop/goal_json.h"
#include "dreamgym/worlds/webshop/page_reader.h"
#include "dreamgym/worlds/webshop/query_words.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kMostCandidates = 50;

using WordSet = std::set<std::string>;

/// What an instruction asks of one product, and the words that nothing of the product accounts for.
struct Reading {
  std::vector<std::string> attributes{};
  std::vector<GoalOption> options{};
  WordSet unaccounted{};
};

Reading read_for(const Product& product, std::string_view instruction) {
  Reading reading;
  const std::vector<std::string> asked = plain_words(without_price_limit(instruction));
  WordSet known;
  for (const std::string* text :
       {&product.title, &product.query, &product.product_category, &product.category}) {
    add_words_of(*text, known);
  }
  for (const std::string& attribute : product.attributes) {
    const std::vector<std::string> said = plain_words(attribute);
    if (!said.empty() && !std::ranges::search(asked, said).empty()) {
      reading.attributes.push_back(attribute);
      add_words_of(attribute, known);
    }
  }
  for (const ProductOption& option : product.options) {
    add_words_of(option.name, known);
    if (const auto value = asked_value({option.name, option.values}, asked)) {
      reading.options.push_back({"", *value});
      add_words_of(*value, known);
    }
  }
  for (const std::string& word : content_words(instruction)) {
    if (!known.contains(word)) {
      reading.unaccounted.insert(word);
    }
  }
  return reading;
}

/// The goal that asks for this product, or nothing if the product does not meet it in full.
std::optional<Goal> goal_of(const Shop& shop,
                            ProductIndex index,
                            const std::string& instruction,
                            const WordSet& free_words) {
  const Product product = shop.catalogue().product(index);
  Reading reading = read_for(product, instruction);
  const double limit = price_limit(instruction).value_or(kNoPriceLimit);
  if (reading.attributes.empty() || shop.goals().price(index) > limit ||
      !std::ranges::includes(free_words, reading.unaccounted)) {
    return std::nullopt;
  }
  std::vector<std::string> values;
  values.reserve(reading.options.size());
  for (const GoalOption& option : reading.options) {
    values.push_back(option.value);
  }
  Goal goal{.asin = product.asin,
            .category = product.category,
            .query = product.query,
            .name = product.title,
            .product_category = product.product_category,
            .instruction = instruction,
            .attributes = std::move(reading.attributes),
            .options = std::move(reading.options),
            .price_upper = limit};
  return shop.reward(goal, index, values).reward == 1 ? std::optional(goal) : std::nullopt;
}

/// Words of the seed's sentence that say nothing its own product accounts for.
WordSet free_words_of(const Shop& shop, const Task& seed) {
  const std::string given = setting(seed, settings::kGoal);
  const std::string asin = given.empty()
                               ? shop.goals().goal(number_setting(seed, settings::kSession)).asin
                               : goal_from_json(given).asin;
  const auto product = shop.catalogue().find(asin);
  return product ? read_for(shop.catalogue().product(*product), seed.instruction).unaccounted
                 : WordSet();
}

class ShopTaskReviser final : public TaskReviser {
 public:
  explicit ShopTaskReviser(std::shared_ptr<ShopLibrary> library) : library_(std::move(library)) {}

  [[nodiscard]] Expected<Task, std::string> revise(const Task& seed,
                                                   const std::string& instruction) const override {
    if (setting(seed, settings::kData).empty() && setting(seed, settings::kGenerated).empty()) {
      return Unexpected<std::string>(fmt::format("task \"{}\" names no shop", seed.id));
    }
    const auto shop = library_->find(seed);
    const WordSet free_words = free_words_of(*shop, seed);
    for (const SearchHit& hit :
         shop->index().search(without_price_limit(instruction), kMostCandidates)) {
      if (const auto goal = goal_of(*shop, hit.document, instruction, free_words)) {
        return with_goal(seed, *goal);
      }
    }
    return Unexpected<std::string>("no product of the catalogue meets it in full");
  }

 private:
  static Task with_goal(const Task& seed, const Goal& goal) {
    Task task = seed;
    task.instruction = goal.instruction;
    task.settings[settings::kGoal] = goal_to_json(goal);
    task.settings[task_settings::kType] = kind_of(goal);
    if (const auto first = task.settings.find(task_settings::kFirstObservation);
        first != task.settings.end() && !seed.instruction.empty()) {
      first->second = replace_all(first->second, seed.instruction, goal.instruction);
    }
    return task;
  }

  std::shared_ptr<ShopLibrary> library_;
};

}  // namespace

std::unique_ptr<TaskReviser> make_task_reviser(std::shared_ptr<ShopLibrary> library) {
  return std::make_unique<ShopTaskReviser>(std::move(library));
}

}  // namespace dreamgym::webshop
