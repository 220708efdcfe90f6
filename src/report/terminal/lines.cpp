#include <algorithm>

#include "regatta/report/text.hpp"
#include "report/terminal/terminal.hpp"

namespace regatta::report {

void hanging(std::string& out, std::string_view word, std::size_t indent, const std::string& text, std::size_t columns,
             const Style& style) {
  std::string lines;
  paragraph(lines, text, columns, indent);
  if (lines.empty()) lines = std::string(indent, ' ') + '\n';
  out += style.bold(word) + lines.substr(std::min(word.size(), indent));
}

}  // namespace regatta::report
