#include "dreamgym/apps/lm/json_lines.h"

#include <istream>
#include <ostream>

#include "dreamgym/llm/tokenizers/text_stream.h"

namespace dreamgym::lm {

std::optional<Json> next_line(std::istream& in, std::size_t& number) {
  std::string text;
  while (std::getline(in, text)) {
    ++number;
    if (!trim(text).empty()) {
      return of_line(number, [&] {
        Json line = Json::parse(text, nullptr, false);
        if (line.is_discarded()) {
          throw Error(ErrorKind::kParse, "is not JSON: " + shorten(text, 80));
        }
        return line;
      });
    }
  }
  return std::nullopt;
}

void write_line(std::ostream& out, const Json& said) {
  out << said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void answer_lines(std::istream& in,
                  std::ostream& out,
                  const std::function<std::vector<Json>(const Json& line)>& answer) {
  std::size_t number = 0;
  while (const auto line = next_line(in, number)) {
    for (const Json& said : of_line(number, [&] { return answer(*line); })) {
      write_line(out, said);
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
