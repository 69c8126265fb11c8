#include "dreamgym/replay/embedder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "dreamgym/base/error.h"

namespace dreamgym {
namespace {

// The action's features live beside the state's in the same dimensions; the salt keeps
// "desk 1" in an action from counting as "desk 1" in a state.
constexpr std::uint64_t kTextSalt = 0x51ed270b9a4d6f1dULL;
constexpr std::uint64_t kActionSalt = 0xc2b2ae3d27d4eb4fULL;
constexpr std::uint64_t kWordSalt = 0x9e3779b97f4a7c15ULL;

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

bool blank(unsigned char c) {
  return c <= ' ';
}

unsigned char lower(unsigned char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<unsigned char>(c + ('a' - 'A')) : c;
}

bool word_character(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
}

void normalise(std::vector<float>& vector) {
  double squares = 0;
  for (const float x : vector) {
    squares += static_cast<double>(x) * x;
  }
  if (squares > 0) {
    const auto scale = static_cast<float>(1.0 / std::sqrt(squares));
    for (float& x : vector) {
      x *= scale;
    }
  }
}

}  // namespace

HashedNgramEmbedder::HashedNgramEmbedder() : HashedNgramEmbedder(Options{}) {}

HashedNgramEmbedder::HashedNgramEmbedder(Options options) : options_(options) {
  if (options_.dimension < 16 || options_.dimension > 65536) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("embedder: dimension is {}, expected 16 to 65536", options_.dimension));
  }
  if (!(options_.action_share >= 0 && options_.action_share <= 1)) {
    throw Error(
        ErrorKind::kInvalidArgument,
        fmt::format("embedder: action_share is {}, expected 0 to 1", options_.action_share));
  }
}

// Signed counts of hashed trigrams and words, square-rooted, as a unit vector.
std::vector<float> HashedNgramEmbedder::features(std::string_view text, std::uint64_t salt) const {
  std::vector<float> vector(options_.dimension, 0.0F);
  const auto count = [&](std::uint64_t feature) {
    const std::uint64_t hash = mix(feature ^ salt);
    const std::size_t index = ((hash & 0xffffffffULL) * options_.dimension) >> 32;
    vector[index] += (hash >> 63) != 0 ? 1.0F : -1.0F;
  };
  std::uint32_t window = ' ';  // the last three characters
  std::uint64_t word = kWordSalt;
  bool in_word = false;
  std::size_t num_characters = 0;
  const auto take = [&](unsigned char c) {
    window = ((window << 8) | c) & 0xffffffU;
    if (++num_characters >= 2) {
      count(window);
    }
    if (word_character(c)) {
      word = (word ^ c) * 0x100000001b3ULL;
      in_word = true;
    } else if (in_word) {
      count(word | (1ULL << 32));  // never the value of a trigram
      word = kWordSalt;
      in_word = false;
    }
  };
  bool pending_blank = false;
  for (const char raw : text) {
    const auto c = static_cast<unsigned char>(raw);
    if (blank(c)) {
      pending_blank = num_characters > 0;
      continue;
    }
    if (pending_blank) {
      take(' ');
      pending_blank = false;
    }
    take(lower(c));
  }
  if (num_characters > 0) {
    take(' ');
  }
  for (float& x : vector) {
    x = x < 0 ? -std::sqrt(-x) : std::sqrt(x);
  }
  normalise(vector);
  return vector;
}

std::vector<float> HashedNgramEmbedder::embed(std::string_view text) const {
  return features(text, kTextSalt);
}

std::vector<float> HashedNgramEmbedder::embed_pair(std::string_view state,
                                                   std::string_view action) const {
  std::vector<float> pair = features(state, kTextSalt);
  const std::vector<float> of_action = features(action, kActionSalt);
  const auto state_scale = static_cast<float>(std::sqrt(1.0 - options_.action_share));
  const auto action_scale = static_cast<float>(std::sqrt(options_.action_share));
  for (std::size_t i = 0; i < pair.size(); ++i) {
    pair[i] = state_scale * pair[i] + action_scale * of_action[i];
  }
  normalise(pair);
  return pair;
}

std::string HashedNgramEmbedder::name() const {
  return fmt::format("hashed-ngram-1/{}/action-{:.3f}", options_.dimension, options_.action_share);
}

}  // namespace dreamgym
