#include "dreamgym/apps/lm/json_lines.h"

#include <istream>
#include <ostream>

#include <fmt/format.h>

#include "dreamgym/llm/tokenizers/text_stream.h"

namespace dreamgym::lm {

void answer_lines(std::istream& in,
                  std::ostream& out,
                  const std::function<std::vector<Json>(const Json& line)>& answer) {
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (trim(text).empty()) {
      continue;
    }
    try {
      const Json line = Json::parse(text, nullptr, false);
      if (line.is_discarded()) {
        throw Error(ErrorKind::kParse, "is not JSON: " + shorten(text, 80));
      }
      for (const Json& said : answer(line)) {
        out << said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      }
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("line {}: {}", number, error.what()));
    }
    out.flush();
  }
}

std::string printable(const std::string& bytes) {
  TextStream stream;
  std::string text = stream.push(bytes);
  return text + stream.finish();
}

}  // namespace dreamgym::lm
