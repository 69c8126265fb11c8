#include "dreamgym/worlds/webshop/internal/string_table.h"

#include <limits>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym::webshop {
namespace {

constexpr std::size_t kFirstSlots = 16;

std::string_view text_of(std::span<const std::uint32_t> ends,
                         std::span<const char> texts,
                         std::uint32_t number) {
  const std::uint32_t begin = number == 0 ? 0 : ends[number - 1];
  return {texts.data() + begin, ends[number] - begin};
}

/// The slot that holds the text's number, or the empty one where it belongs.
std::size_t find_slot(std::span<const std::uint32_t> slots,
                      std::span<const std::uint32_t> ends,
                      std::span<const char> texts,
                      std::string_view text) {
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = hash_text(text) & mask;
  while (slots[slot] != 0 && text_of(ends, texts, slots[slot] - 1) != text) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

}  // namespace

StringTable::StringTable(const SectionFile& file, std::uint32_t base)
    : ends_(file.values<std::uint32_t>(base)),
      texts_(file.values<char>(base + 1)),
      slots_(file.values<std::uint32_t>(base + 2)) {}

std::string_view StringTable::text(std::uint32_t number) const {
  return text_of(ends_, texts_, number);
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const {
  const std::uint32_t entry = slots_[find_slot(slots_, ends_, texts_, text)];
  return entry == 0 ? std::nullopt : std::optional(entry - 1);
}

StringTableBuilder::StringTableBuilder() : slots_(kFirstSlots) {}

std::uint32_t StringTableBuilder::add(std::string_view text) {
  const std::size_t slot = find_slot(slots_, ends_, texts_, text);
  if (slots_[slot] != 0) {
    return slots_[slot] - 1;
  }
  if (texts_.size() + text.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::kUnsupported, "webshop: expected at most 4 GiB of distinct texts");
  }
  texts_.insert(texts_.end(), text.begin(), text.end());
  ends_.push_back(static_cast<std::uint32_t>(texts_.size()));
  slots_[slot] = static_cast<std::uint32_t>(ends_.size());
  if (2 * ends_.size() > slots_.size()) {
    grow();
  }
  return static_cast<std::uint32_t>(ends_.size() - 1);
}

std::optional<std::uint32_t> StringTableBuilder::find(std::string_view text) const {
  const std::uint32_t entry = slots_[find_slot(slots_, ends_, texts_, text)];
  return entry == 0 ? std::nullopt : std::optional(entry - 1);
}

std::string_view StringTableBuilder::text(std::uint32_t number) const {
  return text_of(ends_, texts_, number);
}

void StringTableBuilder::write(SectionWriter& writer, std::uint32_t base) const {
  writer.write_all(base, ends_);
  writer.write_all(base + 1, texts_);
  writer.write_all(base + 2, slots_);
}

void StringTableBuilder::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::uint32_t i = 0; i < ends_.size(); ++i) {
    slots_[find_slot(slots_, ends_, texts_, text(i))] = i + 1;
  }
}

}  // namespace dreamgym::webshop
