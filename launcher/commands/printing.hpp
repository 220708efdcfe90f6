// The output that several commands share.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "regatta/results/tables.hpp"
#include "regatta/sweep/outcome.hpp"

namespace regatta::launcher {

/// "failed: crashed: killed by signal 9" on one line, safe to print: engines and programs write the reason.
std::string outcome_text(const sweep::Outcome& outcome);

/// "1 trial", "2 trials".
std::string counted(std::size_t count, std::string_view what);

/// Prints text that may be hostile in lines as wide as the terminal.
void print_wrapped(const std::string& text, std::size_t indent = 0);

/// Help in lines of at most `columns`. The description of an option goes on under its beginning, `indent` columns in.
std::string wrapped_help(const std::string& text, std::size_t columns, std::size_t indent);

/// Says where the results of a training are to who asks for what only benchmarks have: contrasts, samples, a trace.
/// Whether it had to.
bool tell_other_tables(const results::Results& results, std::string_view asked);

/// Prints the one document of --json. Bytes that are not UTF-8 become U+FFFD.
void print_document(const nlohmann::ordered_json& document);

}  // namespace regatta::launcher
