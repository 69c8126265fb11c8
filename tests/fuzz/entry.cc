// libFuzzer's way into one target, which the build names.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dreamgym::DREAMGYM_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
