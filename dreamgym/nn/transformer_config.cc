#include "dreamgym/nn/transformer_config.h"

#include <array>
#include <string_view>
#include <vector>

#include "dreamgym/base/error.h"
#include "dreamgym/base/text.h"

namespace dreamgym {
namespace {

struct Preset {
  std::string_view name;
  std::int64_t hidden_size;
  std::int64_t num_layers;
  std::int64_t num_heads;
  std::int64_t num_kv_heads;
  std::int64_t intermediate_size;
};

// head_dim is 32 in all of them: two AVX-512 or four AVX2 vectors. Parameters at vocabulary 1024.
constexpr std::array kPresets{
    Preset{"nano-s", 96, 3, 3, 3, 288},   // 0.45M
    Preset{"nano", 128, 5, 4, 2, 384},    // 1.12M
    Preset{"nano-l", 192, 6, 6, 3, 576},  // 2.87M
};

}  // namespace

TransformerConfig transformer_preset(const std::string& name) {
  std::vector<std::string> known;
  for (const Preset& preset : kPresets) {
    if (preset.name == name) {
      TransformerConfig config;
      config.hidden_size = preset.hidden_size;
      config.num_layers = preset.num_layers;
      config.num_heads = preset.num_heads;
      config.num_kv_heads = preset.num_kv_heads;
      config.intermediate_size = preset.intermediate_size;
      return config;
    }
    known.emplace_back(preset.name);
  }
  throw Error(
      ErrorKind::kNotFound,
      "no model preset is called \"" + shorten(name, 60) + "\"; known: " + join(known, ", "),
      "did you mean \"" + nearest(name, known) + "\"?");
}

}  // namespace dreamgym
