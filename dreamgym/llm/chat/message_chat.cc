// Templates that write one message after the other: ChatML, SmolLM2, Llama 3.
#include "dreamgym/llm/internal/chat_renderers.h"

namespace dreamgym {

RenderedChat render_chatml(const ChatRequest& request, std::string_view default_system) {
  ChatWriter out;
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const TemplateMessage message = message_at(request, i);
    if (i == 0 && !default_system.empty() && message.role() != "system") {
      out.write("<|im_start|>system\n");
      out.write(default_system);
      out.write("<|im_end|>\n");
    }
    out.write("<|im_start|>");
    out.write_content(message.role());
    out.write("\n");
    out.write_content(message.text("content"));
    out.write("<|im_end|>\n");
  }
  if (request.add_generation_prompt) {
    out.write("<|im_start|>assistant\n");
  }
  return out.take();
}

RenderedChat render_llama3(const ChatRequest& request) {
  ChatWriter out;
  for (std::size_t i = 0; i < request.messages.size(); ++i) {
    const TemplateMessage message = message_at(request, i);
    if (i == 0) {
      out.write(text_variable(request, "bos_token", "<|begin_of_text|>"));
    }
    out.write("<|start_header_id|>");
    out.write_content(message.role());
    out.write("<|end_header_id|>\n\n");
    out.write_content(strip(message.printed("content")));
    out.write("<|eot_id|>");
  }
  if (request.add_generation_prompt) {
    out.write("<|start_header_id|>assistant<|end_header_id|>\n\n");
  }
  return out.take();
}

}  // namespace dreamgym
