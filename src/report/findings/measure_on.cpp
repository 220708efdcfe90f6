#include "report/findings/measure_on.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <system_error>
#include <vector>

#include "regatta/base/clean.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::report {
namespace {

constexpr double usual_seconds = 300;  // where nothing tells

/// Comparisons of one block are measured together.
using BlockSeconds = std::map<BlockIndex, double>;

void need(BlockSeconds& blocks, BlockIndex block, double seconds) {
  double& most = blocks[block];
  most = std::max(most, seconds);
}

double sum_of(const BlockSeconds& blocks) {
  double sum = 0;
  for (const auto& [block, seconds] : blocks) sum += seconds;
  return sum;
}

/// "6m".
std::string minutes_word(double seconds) {
  return fmt::format("{:.0f}m", std::ceil((seconds > 0 ? seconds : usual_seconds) / 60));
}

/// `regatta run`, and nothing that a terminal would not show: a result file of a stranger is shown, too.
bool runs_a_sweep(const std::vector<std::string>& words) {
  const bool is_run = words.size() >= 2 && words[0].ends_with("regatta") && words[1] == "run";
  return is_run && std::ranges::all_of(words, [](const std::string& word) { return clean(word) == word; });
}

/// Without --rerun and --for, as a shell reads it.
std::string without_this_time(const std::vector<std::string>& words) {
  std::string kept;
  bool is_value = false;
  for (const std::string& word : words) {
    const bool is_name = word == "--rerun" || word == "--for";
    const bool is_whole = word.starts_with("--rerun=") || word.starts_with("--for=");
    if (!is_value && !is_name && !is_whole) kept += (kept.empty() ? "" : " ") + shell_word(word);
    is_value = is_name;
  }
  return kept;
}

}  // namespace

std::string run_command(const results::Provenance& provenance) {
  const auto words = shell_words(provenance.command_line);
  if (words && runs_a_sweep(*words)) return without_this_time(*words);
  return "regatta run " + (provenance.sweep_file.empty() ? "SWEEP" : shell_path(provenance.sweep_file));
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

std::vector<const analysis::Contrast*> early_answers(const analysis::Contrasts& contrasts) {
  std::vector<const analysis::Contrast*> early;
  for (const analysis::Contrast& contrast : contrasts.contrasts) {
    if (can_be_confirmed(contrast)) early.push_back(&contrast);
  }
  return early;
}

double seconds_needed(const std::vector<const analysis::Contrast*>& contrasts) {
  BlockSeconds blocks;
  for (const analysis::Contrast* contrast : contrasts) need(blocks, contrast->block, contrast->outlook->seconds);
  return sum_of(blocks);
}

std::string measure_on(const results::Results& results, const analysis::Contrasts& contrasts) {
  const double needed = seconds_needed(helped_by_time(contrasts));
  return fmt::format("{} --rerun undecided --for {}", run_command(results.provenance), minutes_word(needed));
}

std::string confirm_early(const results::Results& results, const std::vector<const analysis::Contrast*>& early) {
  BlockSeconds blocks;
  for (const analysis::Contrast* contrast : early) {
    const results::BlockRow& block = results.blocks.at(contrast->block.value);
    const double pairs = std::max(1.0, contrast->pairs.n);
    const double missing = std::max(1.0, static_cast<double>(stats::rules::enough_process_pairs) - pairs);
    need(blocks, contrast->block, missing * (block.end_wall_seconds - block.start_wall_seconds) / pairs);
  }
  return fmt::format("{} --rerun early --for {}", run_command(results.provenance), minutes_word(sum_of(blocks)));
}

std::string about_time(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", std::max(seconds, 1.0)) : fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace regatta::report
