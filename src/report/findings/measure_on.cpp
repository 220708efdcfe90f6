#include "report/findings/measure_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <system_error>

#include "regatta/base/shell.hpp"

namespace regatta::report {
namespace {

constexpr double usual_seconds = 300;  // where nothing tells

/// Whether a shell reads it word by word, as it stands: a result file of a stranger is shown, too.
bool is_plain(std::string_view command) {
  constexpr std::string_view others = " _./=,:@%+-";
  return std::ranges::all_of(command, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

/// Without --rerun and --for; words stand between single blanks.
std::string without_this_time(std::string_view command) {
  std::string kept;
  bool is_value = false;
  while (!command.empty()) {
    const std::size_t end = std::min(command.find(' '), command.size());
    const std::string_view word = command.substr(0, end);
    const bool is_name = word == "--rerun" || word == "--for";
    const bool is_whole = word.starts_with("--rerun=") || word.starts_with("--for=");
    if (!is_value && !is_name && !is_whole) kept += fmt::format("{}{}", kept.empty() ? "" : " ", word);
    is_value = is_name;
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return kept;
}

}  // namespace

std::string run_command(const results::Provenance& provenance) {
  const std::string& given = provenance.command_line;
  const std::size_t word_end = given.find(" run ");
  const bool runs_regatta =
      word_end != std::string::npos && std::string_view(given).substr(0, word_end).ends_with("regatta");
  if (runs_regatta && is_plain(given)) return without_this_time(given);
  return "regatta run " + (provenance.sweep_file.empty() ? "SWEEP" : shell_word(provenance.sweep_file));
}

std::string with_ranks(const std::string& command, std::int64_t ranks) {
  constexpr std::string_view option = "--ranks ";
  const std::size_t found = command.find(option);
  if (found == std::string::npos) return command;
  const char* first = command.data() + found + option.size();
  std::int64_t given = 0;
  const auto [end, error] = std::from_chars(first, command.data() + command.size(), given);
  if (error != std::errc{} || given >= ranks) return command;
  return command.substr(0, first - command.data()) + std::to_string(ranks) +
         std::string(end, command.data() + command.size());
}

std::vector<const analysis::Contrast*> helped_by_time(const analysis::Contrasts& contrasts) {
  std::vector<const analysis::Contrast*> unknown, imprecise;
  for (const analysis::Contrast& contrast : contrasts.contrasts) {
    const bool is_helped = contrast.outlook && contrast.outlook->more_pairs > 0 && analysis::can_be_decided(contrast);
    if (!is_helped) continue;
    if (contrast.verdict == stats::Verdict::undecided) unknown.push_back(&contrast);
    if (contrast.verdict != stats::Verdict::undecided && !contrast.precise) imprecise.push_back(&contrast);
  }
  return unknown.empty() ? imprecise : unknown;
}

double seconds_needed(const std::vector<const analysis::Contrast*>& contrasts) {
  std::map<BlockIndex, double> blocks;  // comparisons of one block are measured together
  for (const analysis::Contrast* contrast : contrasts) {
    double& seconds = blocks[contrast->block];
    seconds = std::max(seconds, contrast->outlook->seconds);
  }
  double sum = 0;
  for (const auto& [block, seconds] : blocks) sum += seconds;
  return sum;
}

std::string measure_on(const results::Results& results, const analysis::Contrasts& contrasts) {
  const double needed = seconds_needed(helped_by_time(contrasts));
  const double minutes = std::ceil((needed > 0 ? needed : usual_seconds) / 60);
  return fmt::format("{} --rerun undecided --for {:.0f}m", run_command(results.provenance), minutes);
}

std::string about_time(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", std::max(seconds, 1.0)) : fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace regatta::report
