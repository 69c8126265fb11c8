#include "dreamgym/nn/engine/decoding.h"

#include <algorithm>

#include "dreamgym/base/rng.h"

namespace dreamgym::engine {
namespace {

// Rows a pass may hold beside a chunk: more requests than that take turns.
constexpr std::size_t kMaxPassRows = 256;
// A request with at most this many unread tokens is decoding rather than reading.
constexpr std::size_t kDecodingTokens = 8;
// Outputs whose logits are held at once.
constexpr std::size_t kLogitRows = 32;
// Replies are rarely as long as they may be.
constexpr std::size_t kExpectedReplyTokens = 32;

}  // namespace

ActiveRequest::ActiveRequest(const GenerationRequest& request,
                             CachedSequence& sequence,
                             std::size_t limit,
                             const Tokenizer* tokenizer)
    : request_(&request),
      sequence_(&sequence),
      limit_(limit),
      tokenizer_(tokenizer),
      tokens_(request.context) {}

void ActiveRequest::begin(EngineCounters& counters) {
  const std::size_t context_size = request_->context.size();
  counters.reused_tokens += sequence_->rewind_to_common(request_->context);
  sequence_->plan_snapshot(request_->kept_tokens);
  // One before the end, so that the same context can be asked again.
  sequence_->plan_snapshot(context_size - 1);
  if (limit_ == 0) {
    finish(FinishReason::kLength);
  } else if (request_->choices) {
    node_ = request_->choices->root();
    follow_forced(counters);
  } else if (request_->grammar) {
    grammar_state_ = request_->grammar->start();
  }
}

std::span<const TokenId> ActiveRequest::unread() const {
  return std::span(tokens_).subspan(sequence_->size());
}

std::span<const TokenId> ActiveRequest::allowed() const {
  return request_->choices ? request_->choices->allowed(node_) : std::span<const TokenId>{};
}

std::span<const std::uint64_t> ActiveRequest::mask() const {
  return request_->grammar ? request_->grammar->allowed(grammar_state_)
                           : std::span<const std::uint64_t>{};
}

Rng ActiveRequest::next_stream() const {
  return Rng(request_->seed).fork("token", reply_.tokens.size());
}

void ActiveRequest::accept(SampledIndex sampled, EngineCounters& counters) {
  ++counters.sampled_tokens;
  if (request_->choices) {
    append(request_->choices->allowed(node_)[sampled.index], sampled.logprob);
    node_ = request_->choices->child(node_, sampled.index);
    follow_forced(counters);
    return;
  }
  const auto token = static_cast<TokenId>(sampled.index);
  append(token, sampled.logprob);
  if (ends(token)) {
    finish(FinishReason::kStop);
  } else if (reply_.tokens.size() == limit_) {
    finish(FinishReason::kLength);
  }
}

// Whether the token, just taken, ends the reply. Moves on in the grammar.
bool ActiveRequest::ends(TokenId token) {
  if (!request_->grammar) {
    return std::ranges::find(request_->stop, token) != request_->stop.end() ||
           says_stop_text(token);
  }
  if (request_->grammar->is_end(token)) {
    return true;
  }
  grammar_state_ = request_->grammar->after(grammar_state_, token);
  return request_->grammar->complete(grammar_state_);
}

// Whether the reply, with this token at its end, has just come to hold a text to stop at.
bool ActiveRequest::says_stop_text(TokenId token) {
  if (request_->stop_texts.empty()) {
    return false;
  }
  const std::size_t before = text_.size();
  text_ += tokenizer_->decode(std::span(&token, 1));
  return std::ranges::any_of(request_->stop_texts, [&](const std::string& text) {
    const std::size_t first = before >= text.size() ? before - text.size() + 1 : 0;
    return text_.find(text, first) != std::string::npos;
  });
}

std::size_t ActiveRequest::expected_work() const {
  return finished_ ? 0 : unread().size() + std::min(limit_, kExpectedReplyTokens);
}

void ActiveRequest::append(TokenId token, float logprob) {
  tokens_.push_back(token);
  reply_.tokens.push_back(token);
  reply_.logprobs.push_back(logprob);
}

// Goes down the trie while there is no choice. Ends the reply at a leaf or at its limit.
void ActiveRequest::follow_forced(EngineCounters& counters) {
  const TokenTrie& trie = *request_->choices;
  while (!trie.leaf(node_) && reply_.tokens.size() < limit_ && trie.allowed(node_).size() == 1) {
    append(trie.allowed(node_)[0], 0.0F);
    node_ = trie.child(node_, 0);
    ++counters.forced_tokens;
  }
  if (trie.leaf(node_)) {
    finish(FinishReason::kChoice);
  } else if (reply_.tokens.size() == limit_) {
    finish(FinishReason::kLength);
  }
}

void ActiveRequest::finish(FinishReason reason) {
  reply_.finish = reason;
  finished_ = true;
}

Decoder::Decoder(Backend& backend,
                 const TransformerConfig& config,
                 const Kernels& kernels,
                 std::size_t chunk_tokens)
    : config_(config),
      chunk_tokens_(chunk_tokens),
      pass_(backend.make_pass(std::max(chunk_tokens, kMaxPassRows))),
      sampler_(kernels) {}

void Decoder::run(std::span<ActiveRequest* const> requests, EngineCounters& counters) {
  std::vector<ActiveRequest*> unfinished(requests.begin(), requests.end());
  std::erase_if(unfinished, [](const ActiveRequest* request) { return request->finished(); });
  while (!unfinished.empty()) {
    run_pass(unfinished, counters);
    std::erase_if(unfinished, [](const ActiveRequest* request) { return request->finished(); });
  }
}

void Decoder::run_pass(std::span<ActiveRequest* const> requests, EngineCounters& counters) {
  choose_parts(requests, counters);
  pass_->run(parts_);
  sample(counters);
}

void Decoder::choose_parts(std::span<ActiveRequest* const> requests, EngineCounters& counters) {
  parts_.clear();
  waiting_.clear();
  num_chosen_rows_ = 0;
  const std::size_t count = requests.size();
  for (const bool decoding : {true, false}) {
    const std::size_t room = decoding ? pass_->max_rows() : chunk_tokens_;
    for (std::size_t i = 0; i < count && num_chosen_rows_ < room; ++i) {
      ActiveRequest& request = *requests[(first_ + i) % count];
      if ((request.unread().size() <= kDecodingTokens) == decoding) {
        add_part(request, room - num_chosen_rows_, counters);
      }
    }
  }
  first_ = (first_ + parts_.size()) % count;
}

void Decoder::add_part(ActiveRequest& request, std::size_t room, EngineCounters& counters) {
  const std::span<const TokenId> unread = request.unread();
  const std::size_t count = std::min(room, unread.size());
  const bool complete = count == unread.size();
  parts_.push_back({&request.sequence(), unread.first(count), complete ? 1U : 0U});
  num_chosen_rows_ += count;
  if (complete) {
    waiting_.push_back(&request);
  }
  const std::size_t position = request.sequence().size();
  const std::size_t context_end = request.request().context.size();
  counters.prefill_tokens += std::min(position + count, std::max(position, context_end)) - position;
}

void Decoder::sample(EngineCounters& counters) {
  const auto is_free = [&](std::size_t i) {
    return i < waiting_.size() && waiting_[i]->request().choices == nullptr;
  };
  std::size_t i = 0;
  while (i < waiting_.size()) {
    std::size_t num_free = 0;
    while (num_free < kLogitRows && is_free(i + num_free)) {
      ++num_free;
    }
    if (num_free > 0) {
      sample_free(i, num_free, counters);
      i += num_free;
    } else {
      waiting_[i]->accept(sample_choice(*waiting_[i], i), counters);
      ++i;
    }
  }
}

void Decoder::sample_free(std::size_t first, std::size_t count, EngineCounters& counters) {
  const float* logits = pass_->logits(first, count);
  for (std::size_t i = 0; i < count; ++i) {
    ActiveRequest& request = *waiting_[first + i];
    Rng stream = request.next_stream();
    const std::span row(logits + i * pass_->logits_stride(),
                        static_cast<std::size_t>(config_.vocab_size));
    request.accept(
        sampler_.sample(row,
                        {request.request().temperature,
                         request.request().filter,
                         request.tokens(),
                         request.mask()},
                        stream),
        counters);
  }
}

// Only the allowed tokens' logits are computed.
SampledIndex Decoder::sample_choice(const ActiveRequest& request, std::size_t output) {
  pass_->token_logits(output, request.allowed(), choice_logits_);
  Rng stream = request.next_stream();
  return sampler_.sample(choice_logits_, {.temperature = request.request().temperature}, stream);
}

}  // namespace dreamgym::engine
