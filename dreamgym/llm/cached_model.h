// Remembers replies, so that no request is computed twice.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "dreamgym/llm/language_model.h"

namespace dreamgym {

/// Keyed by all that a reply depends on, the model's version included; the least recently used
/// reply goes first. Lifetime: the model must outlive it. Thread safety: as LanguageModel.
class CachedModel final : public LanguageModel {
 public:
  /// @param capacity  replies kept, > 0. @throws Error kInvalidArgument for 0.
  CachedModel(LanguageModel& model, std::size_t capacity);

  std::vector<GenerationReply> generate(std::span<const GenerationRequest> requests) override;
  void release(std::span<const std::uint64_t> sessions) override { model_.release(sessions); }
  [[nodiscard]] const Tokenizer& tokenizer() const override { return model_.tokenizer(); }
  [[nodiscard]] std::size_t max_context_tokens() const override {
    return model_.max_context_tokens();
  }
  [[nodiscard]] std::string version() const override { return model_.version(); }

  [[nodiscard]] std::size_t num_hits() const { return num_hits_; }
  [[nodiscard]] std::size_t num_misses() const { return num_misses_; }

 private:
  struct Entry {
    std::string key;
    GenerationReply reply;
  };
  /// The reply kept under this key, made the most recent one; null if there is none.
  const GenerationReply* find(const std::string& key);
  void insert(std::string key, GenerationReply reply);

  LanguageModel& model_;
  std::size_t capacity_;
  std::list<Entry> entries_;  // most recent first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::size_t num_hits_ = 0;
  std::size_t num_misses_ = 0;
};

}  // namespace dreamgym
