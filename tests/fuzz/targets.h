// What is fuzzed: a function a reader of other people's bytes. Whatever the bytes, it returns: an Error is an answer,
// anything else that is thrown, a crash, a hang or an allocation out of proportion is a finding.
#pragma once

#include <string_view>

namespace dreamgym {

void fuzz_safetensors(std::string_view bytes);
void fuzz_gguf(std::string_view bytes);
void fuzz_tokenizer(std::string_view bytes);
void fuzz_chat(std::string_view bytes);
void fuzz_reply(std::string_view bytes);

}  // namespace dreamgym
