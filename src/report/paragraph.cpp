#include "report/paragraph.hpp"

#include "report/text.hpp"

namespace regatta::report {

void paragraph(std::string& out, const std::string& text, std::size_t columns, std::size_t indent) {
  constexpr std::size_t text_columns = 600;  // an engine's message can be a whole log
  const auto room = columns > indent + 20 ? columns - indent : 20;
  for (const auto& line : wrap(clip(clean(text), text_columns), room)) out += std::string(indent, ' ') + line + '\n';
}

}  // namespace regatta::report
