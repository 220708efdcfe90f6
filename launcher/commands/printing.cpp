#include "commands/printing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "regatta/base/clean.hpp"
#include "regatta/base/log.hpp"
#include "regatta/report/text.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {

std::string outcome_text(const sweep::Outcome& outcome) {
  const std::string reason = clean(sweep::reason_of(outcome));
  return fmt::format("{}{}{}", sweep::status_of(outcome), reason.empty() ? "" : ": ", reason);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_wrapped(const std::string& text, std::size_t indent) {
  std::string lines;
  report::paragraph(lines, text, static_cast<std::size_t>(terminal_options().columns), indent);
  fmt::print("{}", lines);
}

std::string wrapped_help(const std::string& text, std::size_t columns, std::size_t indent) {
  constexpr std::size_t least_room = 20;
  constexpr std::size_t narrow_indent = 4;
  const std::size_t behind = columns < indent + least_room ? narrow_indent : indent;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    const std::size_t under = line.starts_with(' ') ? behind : 0;
    while (line.size() > columns) {
      const std::size_t blank = line.rfind(' ', columns);
      const std::size_t begin = line.find_first_not_of(' ');
      if (blank == std::string::npos || blank <= std::max(begin, under)) break;  // a word that is too long
      out += line.substr(0, line.find_last_not_of(' ', blank) + 1) + '\n';
      line = std::string(under, ' ') + line.substr(line.find_first_not_of(' ', blank));
    }
    out += line + (end < text.size() ? "\n" : "");
    at = end + 1;
  }
  return out;
}

bool tell_other_tables(const results::Results& results, std::string_view asked) {
  const bool is_of_benchmarks = asked == "contrasts" || asked == "samples" || asked == "trace";
  if (results.legs.empty() || !is_of_benchmarks) return false;
  log::info(
      fmt::format("a training has no {}. Its runs are in the tables `legs` and `curves` (`regatta query --table "
                  "legs`), and `regatta report` says which was best",
                  asked));
  return true;
}

void print_document(const nlohmann::ordered_json& document) {
  fmt::print("{}\n", escaped_json(document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
}

}  // namespace regatta::launcher
