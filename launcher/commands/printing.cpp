#include "commands/printing.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "regatta/base/clean.hpp"
#include "regatta/report/text.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {

std::string outcome_text(const sweep::Outcome& outcome) {
  const std::string reason = clean(sweep::reason_of(outcome));
  return fmt::format("{}{}{}", sweep::status_of(outcome), reason.empty() ? "" : ": ", reason);
}

void print_wrapped(const std::string& text, std::size_t indent) {
  std::string lines;
  report::paragraph(lines, text, static_cast<std::size_t>(terminal_options().columns), indent);
  fmt::print("{}", lines);
}

void print_document(const nlohmann::ordered_json& document) {
  fmt::print("{}\n", document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace regatta::launcher
