#include "commands/printing.hpp"

#include <fmt/format.h>

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

void print_wrapped(const std::string& text, std::size_t indent) {
  std::string lines;
  report::paragraph(lines, text, static_cast<std::size_t>(terminal_options().columns), indent);
  fmt::print("{}", lines);
}

bool tell_other_tables(const results::Results& results, std::string_view asked) {
  const bool is_of_benchmarks = asked == "contrasts" || asked == "samples" || asked == "trace";
  if (results.legs.empty() || !is_of_benchmarks) return false;
  log::info(
      fmt::format("a training has no {}; what its runs gave is in the tables `legs` and `curves` (`regatta export "
                  "--table legs`), and who was best in `regatta report`",
                  asked));
  return true;
}

void print_document(const nlohmann::ordered_json& document) {
  fmt::print("{}\n", document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace regatta::launcher
