#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "dreamgym/base/error.h"
#include "dreamgym/llm/gguf/gguf_model.h"
#include "tests/fuzz/targets.h"

namespace dreamgym {
namespace {

// A file that is nowhere but in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("input", 0)) {
    check(descriptor_ >= 0, "there is room for a file in memory");
    check(write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "it is written whole");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] Path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

template <class Read>
void errors_only(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

}  // namespace

// Each reader by itself, so that what one refuses hides nothing from the next.
void fuzz_gguf(std::string_view bytes) {
  const MemoryFile memory(bytes);
  errors_only([&] {
    const GgufFile file(memory.path());
    errors_only([&] { (void)gguf_weights(file); });
    errors_only([&] { (void)PretrainedTokenizer(gguf_vocabulary(file)).encode("a mug 1"); });
    errors_only([&] { (void)gguf_chat_template(file); });
    errors_only([&] { (void)gguf_generation_config(file); });
  });
}

}  // namespace dreamgym
