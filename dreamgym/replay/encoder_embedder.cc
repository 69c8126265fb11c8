#include "dreamgym/replay/encoder_embedder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "dreamgym/base/error.h"
#include "dreamgym/base/parallel_map.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

constexpr std::string_view kMagic = "DGEMBED1";

void append_number(std::string& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    out += static_cast<char>((value >> (8 * i)) & 0xffU);
  }
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

std::string head_of(const TextEncoder& encoder) {
  std::string head(kMagic);
  const std::string name = encoder.name();
  append_number(head, name.size(), 4);
  head += name;
  append_number(head, encoder.dimension(), 4);
  return head;
}

// A row: hash of the text, the numbers, checksum of both.
std::string row_of(std::uint64_t key, const std::vector<float>& vector) {
  std::string row;
  append_number(row, key, 8);
  for (const float x : vector) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    append_number(row, bits, 4);
  }
  append_number(row, checksum(row), 4);
  return row;
}

void add_scaled(std::vector<float>& sum, const std::vector<float>& vector, double scale) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += static_cast<float>(scale) * vector[i];
  }
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

EncoderEmbedder::EncoderEmbedder(std::shared_ptr<TextEncoder> encoder, Options options)
    : encoder_(std::move(encoder)), options_(std::move(options)) {
  check(encoder_ != nullptr && options_.batch > 0, "an encoder, and batches that are not empty");
  if (!(options_.action_share >= 0 && options_.action_share <= 1)) {
    throw Error(ErrorKind::kInvalidArgument,
                fmt::format("embedder: action_share is {}, expected 0 to 1", options_.action_share));
  }
  load_cache();
}

void EncoderEmbedder::load_cache() {
  if (options_.cache_file.empty()) {
    return;
  }
  const MutexLock lock(mutex_);
  const std::string head = head_of(*encoder_);
  const Path& file = options_.cache_file;
  if (std::filesystem::exists(file)) {
    const std::string bytes = read_file(file);
    const std::string_view view = bytes;
    const std::size_t begin = kMagic.size() + 4;
    const std::size_t name_size = view.size() >= begin ? number_at(view, kMagic.size(), 4) : 0;
    if (!view.starts_with(kMagic) || view.size() < begin + name_size + 4) {
      throw Error(ErrorKind::kCorrupt,
                  fmt::format("{} is no cache of embeddings", file.string()),
                  "remove it: it is made anew");
    }
    if (!view.starts_with(head)) {
      throw Error(ErrorKind::kInvalidArgument,
                  fmt::format("{} holds embeddings of {} ({} numbers), the embedder asked for is {} ({} numbers)",
                              file.string(),
                              view.substr(begin, name_size),
                              number_at(view, begin + name_size, 4),
                              encoder_->name(),
                              encoder_->dimension()),
                  "choose the embedder it was made with, or remove it: it is made anew");
    }
    const std::size_t row_size = 8 + 4 * encoder_->dimension() + 4;
    std::size_t at = head.size();
    for (; at + row_size <= view.size(); at += row_size) {
      const std::string_view row = view.substr(at, row_size);
      if (checksum(row.substr(0, row_size - 4)) != number_at(row, row_size - 4, 4)) {
        break;
      }
      std::vector<float> vector(encoder_->dimension());
      for (std::size_t i = 0; i < vector.size(); ++i) {
        const auto bits = static_cast<std::uint32_t>(number_at(row, 8 + 4 * i, 4));
        std::memcpy(&vector[i], &bits, sizeof bits);
      }
      cached_[number_at(row, 0, 8)] = std::move(vector);
    }
    std::filesystem::resize_file(file, at);  // what follows is half written, and only a cache
  } else {
    write_file(file, head);
  }
  file_.open(file, std::ios::binary | std::ios::app);
}

void EncoderEmbedder::keep(std::uint64_t key, const std::vector<float>& vector) const {
  if (cached_.size() < options_.max_cached && cached_.emplace(key, vector).second && file_.is_open()) {
    const std::string row = row_of(key, vector);
    file_.write(row.data(), static_cast<std::streamsize>(row.size()));
  }
}

EncoderEmbedder::Vectors EncoderEmbedder::vectors_of(std::span<const std::string_view> texts) const {
  Vectors found;
  std::vector<std::string> unknown;
  std::vector<std::uint64_t> keys;
  for (const std::string_view text : texts) {
    const std::uint64_t key = hash_text(text);
    const auto known = cached_.find(key);
    if (known != cached_.end()) {
      found.insert(*known);
    } else if (found.emplace(key, std::vector<float>()).second) {
      unknown.emplace_back(text);
      keys.push_back(key);
    }
  }
  for (std::size_t begin = 0; begin < unknown.size(); begin += options_.batch) {
    const std::size_t count = std::min(options_.batch, unknown.size() - begin);
    auto vectors = encoder_->encode(std::span<const std::string>(unknown).subspan(begin, count));
    check(vectors.size() == count, "one vector a text");
    for (std::size_t i = 0; i < count; ++i) {
      keep(keys[begin + i], vectors[i]);
      found[keys[begin + i]] = std::move(vectors[i]);
    }
  }
  file_.flush();
  return found;
}

std::vector<float> EncoderEmbedder::embed(std::string_view text) const {
  const MutexLock lock(mutex_);
  return vectors_of(std::span(&text, 1)).at(hash_text(text));
}

std::vector<float> EncoderEmbedder::embed_pair(std::string_view state, std::string_view action) const {
  const StateAction pair(state, action);
  return embed_pairs(std::span(&pair, 1)).front();
}

std::vector<std::vector<float>> EncoderEmbedder::embed_pairs(std::span<const StateAction> pairs) const {
  std::vector<std::string_view> texts;
  for (const auto& [state, action] : pairs) {
    texts.push_back(state);
    texts.push_back(action);
  }
  const MutexLock lock(mutex_);
  const Vectors vectors = vectors_of(texts);
  std::vector<std::vector<float>> keys;
  for (const auto& [state, action] : pairs) {
    std::vector<float> key(encoder_->dimension(), 0.0F);
    add_scaled(key, vectors.at(hash_text(state)), std::sqrt(1.0 - options_.action_share));
    add_scaled(key, vectors.at(hash_text(action)), std::sqrt(options_.action_share));
    normalise(key);
    keys.push_back(std::move(key));
  }
  return keys;
}

std::string EncoderEmbedder::name() const {
  return fmt::format("{}/action-{:.3f}", encoder_->name(), options_.action_share);
}

std::size_t EncoderEmbedder::num_cached() const {
  const MutexLock lock(mutex_);
  return cached_.size();
}

std::vector<std::vector<float>> embed_pairs(const Embedder& embedder,
                                            std::span<const StateAction> pairs,
                                            std::size_t num_threads) {
  if (const auto* encoder = dynamic_cast<const EncoderEmbedder*>(&embedder)) {
    return encoder->embed_pairs(pairs);
  }
  std::vector<std::vector<float>> keys(pairs.size());
  parallel_for(pairs.size(), num_threads, [&](std::size_t i) {
    keys[i] = embedder.embed_pair(pairs[i].first, pairs[i].second);
  });
  return keys;
}

}  // namespace dreamgym
