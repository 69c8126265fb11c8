#include "dreamgym/experience/query_context.h"

namespace dreamgym {
namespace {

constexpr std::size_t kRecollectionReserve = 64;
constexpr std::size_t kTaskReserve = 64;

void append(std::vector<TokenId>& out, const std::vector<TokenId>& ids) {
  out.insert(out.end(), ids.begin(), ids.end());
}

}  // namespace

std::vector<TokenId> query_context(const ExperiencePrompt& prompt,
                                   std::span<const Demonstration> retrieved,
                                   std::span<const PastStep> past,
                                   std::string_view instruction,
                                   std::string_view action,
                                   const QueryContextOptions& options) {
  std::vector<TokenId> out = prompt.demonstrations(retrieved);
  std::vector<Demonstration> recollected = recollect(past, action, options.num_recollections);
  if (options.remind && recollected.empty() && options.num_recollections > 0) {
    if (auto here = recollect_place(past)) {
      recollected.push_back(std::move(*here));
    }
  }
  append(out, prompt.recollections(recollected));
  if (options.remind) {
    append(out, prompt.reminder(instruction));
  }
  return out;
}

std::size_t query_context_reserve(const QueryContextOptions& options) {
  return options.num_recollections * kRecollectionReserve + (options.remind ? kTaskReserve : 0);
}

}  // namespace dreamgym
