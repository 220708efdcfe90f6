// The findings of a training sweep, in words that every form of the report shares.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

using analysis::Learning;

/// "0.000226": three digits where they tell all levels of the axis apart.
std::string level_text(const View& view, sweep::Param param, TrialIndex trial);

/// "mlp-256-128, batch 64, learning_rate 0.000226".
std::string configuration_text(const View& view, const Learning& learning, TrialIndex trial);

/// "validation accuracy", and what the test part's figure is called.
std::string objective_name(const Learning& learning);
std::string test_name(const Learning& learning);

/// "98.9 %" of an accuracy, "0.0412" of what has no such scale; a dash where nothing is known.
std::string quality_text(bool is_accuracy, double value);
/// "[98.6, 99.1]"; empty where an end is not known.
std::string interval_text(bool is_accuracy, const stats::Range& range);
/// "0.4 points" of an accuracy, "0.0041" else.
std::string difference_text(bool is_accuracy, double value);
/// "98.9 % [98.6, 99.1]".
std::string figure_text(bool is_accuracy, const search::Figure& figure);
bool is_test_accuracy(const Learning& learning);

/// " by 1 point"; nothing where the margin is 0.
std::string by_margin_text(const Learning& learning);
/// "0.4 [0.1, 0.8]"; "leader", or a dash.
std::string behind_text(const Learning& learning, const analysis::Ranked& row);
/// "reaches 95.0 %"; nothing without a target.
std::string target_name(const Learning& learning);
/// "0.8 s [0.7 s, never]": the median of the seconds of training until the target; with "9 of 12, " runs that reached
/// it.
std::string arrival_text(const analysis::Target& target);
/// The same of any clock: "0.8 s [0.7 s, never]"; a dash where nothing is known.
std::string clock_text(const stats::Estimate& seconds);
/// "native 12.1 ms (3 processes), torch 1.84 s (1 process)": the time of a start in the clock with start.
std::string starts_text(const Learning& learning);
std::string target_text(const analysis::Ranked& row);
/// "yes", "no", "no, few test samples", or "no verdict" where too few seeds tell.
std::string in_set_text(const Learning& learning, const analysis::Ranked& row);

/// "40 configurations, 4 rungs, 140 runs".
std::string learning_counts(const Learning& learning);

/// The sentences of the answer. An unfinished sweep says so first.
std::vector<std::string> learning_headline(const View& view, const Learning& learning);

/// Sentences behind "Stopped", "Noise", "Cost"; empty where there is nothing to say.
std::string stopped_text(const Learning& learning);
std::string noise_text(const Learning& learning);
std::string cost_text(const Learning& learning);

/// "14.3 full trainings".
std::string trainings_text(double trainings);

/// The evidence behind the figures: seeds, parts and repeats, then the warnings.
std::vector<std::string> learning_trust(const View& view, const Learning& learning);

/// Only what takes something away from the figures: few seeds, few test samples, runs that diverged or failed.
std::vector<std::string> learning_warnings(const View& view, const Learning& learning);

/// The meaning of the table's columns.
std::string learning_legend(const Learning& learning);

}  // namespace regatta::report
