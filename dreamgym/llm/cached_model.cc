#include "dreamgym/llm/cached_model.h"

#include "dreamgym/base/error.h"
#include "dreamgym/llm/internal/request_key.h"

namespace dreamgym {

CachedModel::CachedModel(LanguageModel& model, std::size_t capacity)
    : model_(model), capacity_(capacity) {
  if (capacity == 0) {
    throw Error(ErrorKind::kInvalidArgument, "cached model: capacity is 0, expected at least 1");
  }
}

std::vector<GenerationReply> CachedModel::generate(std::span<const GenerationRequest> requests) {
  std::vector<GenerationReply> replies(requests.size());
  std::vector<GenerationRequest> unknown;
  std::unordered_map<std::string, std::vector<std::size_t>> places;  // of each unknown request
  std::vector<std::string> unknown_keys;
  const std::string version = model_.version();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::string key = version + " " + request_key(requests[i]);
    if (const GenerationReply* known = find(key)) {
      replies[i] = *known;
      ++num_hits_;
      continue;
    }
    auto& same = places[key];
    same.push_back(i);
    if (same.size() == 1) {
      unknown.push_back(requests[i]);
      unknown_keys.push_back(key);
      ++num_misses_;
    } else {
      ++num_hits_;
    }
  }
  if (unknown.empty()) {
    return replies;
  }
  auto fresh = model_.generate(unknown);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    for (const std::size_t place : places[unknown_keys[i]]) {
      replies[place] = fresh[i];
    }
    insert(std::move(unknown_keys[i]), std::move(fresh[i]));
  }
  return replies;
}

const GenerationReply* CachedModel::find(const std::string& key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return &found->second->reply;
}

void CachedModel::insert(std::string key, GenerationReply reply) {
  if (entries_.size() == capacity_) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({std::move(key), std::move(reply)});
  by_key_.emplace(entries_.front().key, entries_.begin());
}

}  // namespace dreamgym
