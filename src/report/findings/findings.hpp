// Every sentence about results, shared by all forms of the report: contrasts and their effects, what is fastest, why,
// ranks, learning, checks, what is open, two sessions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/analysis/call_costs.hpp"
#include "regatta/analysis/contrast.hpp"
#include "regatta/analysis/session_cells.hpp"
#include "regatta/results/tables.hpp"
#include "report/findings/view.hpp"

namespace regatta::report {

// call_quantiles.cpp: p95 and p99 of single calls: their columns in tables, and what a reader must know
// (measuring.md R14).

struct QuantileColumn {
  std::string header;
  sweep::Metric metric;
};

/// Why the trial has no quantile of single calls: empty if it has, or has not finished.
std::string no_quantile(const results::TrialRow& trial, sweep::Metric metric);

/// Columns that some trial has a value for.
std::vector<QuantileColumn> quantile_columns(const View& view);

/// The meaning of the quantiles, and why trials have none; empty if nothing finished.
std::string quantiles_sentence(const View& view);

// checks.cpp: The checks beside the ratios, and what they said.

/// "All 20 trials were verified to do the same work."; else how many were, and what the others are. Empty if the sweep
/// compares nothing.
std::string same_work_sentence(const View& view);

/// Identical code, same work, disturbed slices, and the order where it told: one sentence each; empty if the sweep
/// compares nothing. The checks that contradict a verdict stand in contradictions.hpp.
std::vector<std::string> checks_of(const View& view);

// comparison_matrix.cpp: All comparisons with one baseline as a matrix of settings and arms, for terminal and page.

/// One arm at one setting. Nothing of it is set where the sweep has no such trial.
struct MatrixCell {
  const analysis::Contrast* contrast = nullptr;  ///< against the baseline of the setting
  bool is_contradicted = false;                  ///< a check contradicts its verdict
  std::string figure = {};                       ///< the arm's own: "1.54 us"
  std::string status = {};                       ///< why it has no ratio: "failed", "other work"
  bool is_bad = false;                           ///< the status is a failure, or other work

  [[nodiscard]] bool is_empty() const { return contrast == nullptr && figure.empty() && status.empty(); }
};

struct MatrixSetting {
  std::string heading;            ///< its words: "digits-mlp"
  std::string name;               ///< its numbers: "batch 32"
  std::vector<MatrixCell> cells;  ///< one for each arm
  bool stands_alone = false;      ///< no other setting shares its heading, or it has no heading or no numbers
};

struct ComparisonMatrix {
  std::vector<std::string> arms = {};  ///< the baseline first
  std::vector<MatrixSetting> settings = {};
  const analysis::Contrast* example = nullptr;  ///< the legend explains its cell
  bool early = false;                           ///< some ratio is not confirmed yet
};

/// Nothing where comparisons have several baselines, or there are none. Linear in the trials.
std::optional<ComparisonMatrix> comparison_matrix(const View& view);

/// "digits-mlp batch 32".
std::string setting_name(const MatrixSetting& setting);

/// A cell in words. The figure is "1.54 us" of the baseline, "1.59x" of a ratio, "1.59x*" of an early one, "not known",
/// "failed", or a dash; the interval is "[1.50, 1.66]", or empty.
struct CellWords {
  std::string figure;
  std::string interval = {};
};
CellWords cell_words(const MatrixCell& cell);

/// Both in one: "1.59x [1.50, 1.66]".
std::string cell_text(const MatrixCell& cell);

/// The lines that explain the baseline's figures, one ratio, and the mark of early answers.
std::vector<std::string> matrix_legend(const View& view, const ComparisonMatrix& matrix);

/// "numpy takes 1.06 to 48.8 times as long, native eager 1.07 to 1.39 times.": verdicts only; empty without any.
std::string ranges_sentence(const View& view, const ComparisonMatrix& matrix);

/// The words of a trial's setting: "digits-mlp".
std::string heading_of(const View& view, TrialIndex trial);

/// The figure by which the sweep compares, of one trial; otherwise how the trial ended.
std::string figure_of(const View& view, const results::TrialRow& trial);

// contrast_sentences.cpp: Each comparison as a sentence, and the parts of it that tables and other sentences use.

/// "numpy is 38.3x slower [37.1, 39.0] than native graph at batch 1"; without a verdict "numpy against native graph at
/// batch 1: not known yet [1.003x slower, 1.40x slower]". Then what limits it: replicates, steps, stalls, disturbed
/// slices, and whether it is early.
std::string contrast_sentence(const results::Results& results, const analysis::Contrasts& contrasts,
                              const analysis::Contrast& contrast);

/// The measure of a contrast behind its verdict: " per sample", " in peak memory"; empty for times of a step.
std::string in_measure(const analysis::Contrast& contrast);

/// "10 seeds", "20 replicates (seed, instance)"; empty without any.
std::string replicates_text(const analysis::Contrast& contrast);

/// "7 x 2": fresh processes of each arm x balanced squares in each, "7 x 1 to 2" where they differ.
std::string evidence_text(const analysis::Contrast& contrast);

/// "1 %", or in the unit of the result.
std::string margin_text(const analysis::Contrast& contrast);

// effect_sentences.cpp: The effects that the contrasts of a sweep show together, a sentence each: ranges over
// settings, crossovers, interactions.

/// "numpy is 5.00x (batch 512) to 69.4x (batch 1) slower than native graph over 7 settings; geometric mean ...". For
/// one setting it is the sentence of its contrast.
std::string effect_sentence(const View& view, const analysis::Effect& effect);

/// "eager wins below batch 4 [2, 8], graph above (mlp-10)".
std::string crossing_sentence(const analysis::Crossing& crossing);

/// "eager against graph: 2.00x slower with native, 3.00x slower with torch; eager's effect is 1.50x [1.50, 1.50] better
/// with native than with torch".
std::string interaction_sentence(const View& view, const analysis::Interaction& interaction);

// fastest.cpp: The fastest cells, said once for all settings in which they are the same.

struct FastestSentence {
  std::size_t settings = 0;
  std::string answer;
  std::string remark;  ///< how far the figures of the best of many can be relied on; may be empty
};

/// Settings with more than two cells only: for two cells the ratio says it. The sentence about most settings comes
/// first.
std::vector<FastestSentence> fastest_sentences(const View& view);

// input_lines.cpp: Whether Regatta's loader kept up with the steps that it fed.

/// One line for each cell whose steps waited for batches, in the order of the plan, then one for all others together;
/// none where no cell tells. Linear in the trials.
std::vector<std::string> input_lines(const View& view);

/// Only the lines of cells whose steps waited.
std::vector<std::string> input_waits(const View& view);

// no_ratio.cpp: Trials of a comparison without a ratio, and why.

/// Trials without a ratio for the same reason.
struct NoRatio {
  std::vector<TrialIndex> trials;
  std::string reason;  ///< "no baseline here: ..."
};

/// One entry for each reason, in the order of its first trial. Linear.
std::vector<NoRatio> no_ratios(const View& view);

// pay_backs.cpp: Sentences about slow starts and when they have paid back. They are about one comparison, or about
// each pair of arms at the settings that a user would run.

/// "graph takes 800 ms longer to start than eager and catches up after 800 steps [667, 1000]".
std::string pay_back_sentence(const View& view, const analysis::PayBack& paid);

/// A slow starter and the arm it is compared with, at the settings with their largest batch.
struct StartedPair {
  std::vector<const analysis::PayBack*> settings;  ///< not empty
};

/// In the order of the findings.
std::vector<StartedPair> started_pairs(const View& view);

/// One for each pair: the setting, or the range over several of them. None for pairs of fewer than 7 processes, and
/// where the starts differ by less than 100 ms.
std::vector<std::string> pay_back_sentences(const View& view);

// remarks.cpp: Facts that no check passes or fails, but that a reader must know to read the figures.

/// Trials that finished after an attempt had failed, arms with several speeds, rare stalls, what has no lasting speed,
/// and what plain loops would have said of identical code that was shown to be the same. Linear in the samples.
std::vector<std::string> remarks_of(const View& view);

// resolution.cpp: How small a difference this run can tell, and what it takes to tell smaller ones.

/// "This run can tell differences of 9 % and more."; empty if the sweep compares nothing. Linear in the samples.
std::string resolution_sentence(const View& view);

/// "About 12 min more would lower that to 4 %: regatta run ... --for 12m"; empty where more time helps little.
std::string further_sentence(const View& view);

/// "9 %"; "a factor of 2.4" for a difference beyond a factor of 2.
std::string difference_text(double resolution);

// session_sentences.cpp: Two sessions in sentences: slower trials, notes for the reader, and why trials were not
// compared.

/// "NEW is slower in 1 of 3 trials: 1.20x slower [1.19, 1.21] in native graph batch 1; 1 faster, 1 same".
std::string session_headline(const results::Results& new_session, const analysis::Sessions& sessions);

/// The floor between the sessions, what identical code showed, and what else changed between them.
std::vector<std::string> session_notes(const results::Results& old_session, const results::Results& new_session,
                                       const analysis::Sessions& sessions);

/// "failed in NEW: crashed: signal 11".
std::string not_compared_text(const results::Results& old_session, const results::Results& new_session,
                              const analysis::Sessions& sessions, const analysis::NotCompared& trial);

// study.cpp: Numbers that programs reported of their trials: columns of tables, and what a sweep without a comparison
// found.

struct ResultColumn {
  std::string name;
  std::string unit;    ///< "K", or "1"
  std::string header;  ///< "residual [K]"
};

/// The least and the greatest value of one quantity over the trials that have a finite one.
struct Extremes {
  std::size_t trials = 0;
  double least = 0, greatest = 0;
  TrialIndex least_at, greatest_at;                 ///< the first of them
  std::size_t least_count = 0, greatest_count = 0;  ///< trials that have this very value
};

/// `metric` is the name of a metric, such as "step_time", or of a result. Linear in the trials.
Extremes extremes_of(const View& view, const std::string& metric);

/// One for each name, as many as fit a table.
std::vector<ResultColumn> result_columns(const View& view);

/// "1.2e-06", "NaN", or a dash where it was not told.
std::string result_text(const results::TrialRow& trial, const std::string& name);

/// "residual is NaN in 1 of 5 runs: solve 64", one for each remark.
std::vector<std::string> result_remarks(const View& view);

/// Whether the sweep compares nothing and trains nothing.
bool is_study(const View& view);

/// Whether all trials are runs of programs; otherwise their times are those of steps.
bool runs_programs(const View& view);

/// "residual is smallest at n 256 (3.1e-08) and largest at n 16 (0.0213)." for each of a few results, then the range of
/// times. At least one sentence. Linear in the trials.
std::vector<std::string> study_sentences(const View& view);

// why_sentences.cpp: Why a step takes as long as it does, in sentences: the time that changes to a cell remove, and
// the cost of calls.

/// "emptying the kernels: -61 % [-63, -59]; ..."; the reason for a cell that was not explained.
std::string explanation_sentence(const View& view, const analysis::Explanation& explanation);

/// "removing input copies", "emptying the kernels", "batch 1".
std::string change_text(const sweep::Intervention& intervention);

/// "-61 % [-63, -59]" from a ratio and its interval.
std::string removed_text(double ratio, std::optional<double> low, std::optional<double> high);

/// "58.0 us [57.1, 58.9] of calls, whatever the batch, + 410 ns a row".
std::string line_text(const analysis::CallsLine& line);

/// "numpy spends 55.2 us of each step on call overhead: 99 % of it at batch 1, 9 % at batch 2048"; where a line does
/// not fit, the line with its misfit.
std::string call_cost_sentence(const analysis::CallCost& cost);

/// Why steps take as long as they do: the time that changes to cells removed, or call overhead. At most `most`
/// sentences, the most expensive cause first.
std::vector<std::string> cause_sentences(const View& view, std::size_t most);

}  // namespace regatta::report
