// A report from the written file says what the report at the end of the run said.
#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"
#include "regatta/report/export.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/file.hpp"
#include "report/full_results.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::report {
namespace {

/// With interventions on its first trial, and every figure judged, as at the end of a run.
results::Results judged_results() {
  testing_support::FullResults full;
  const std::vector<double> usual(8, 2e-6), emptied(8, 1e-6), one(8, 1.5e-6);
  full.made.explanation(TrialIndex{0}, {{{sweep::InterventionKind::unchanged, 0}, usual},
                                        {{sweep::InterventionKind::kernels_emptied, 0}, emptied},
                                        {{sweep::InterventionKind::batch, 4}, one}});
  results::Results results = full.made.results;
  const auto findings = analysis::findings_of(results);
  results.contrasts = contrast_rows(results, findings.contrasts);
  analysis::write_explanations(results, findings.explanations);
  return results;
}

TEST(ReportOfAFile, SaysWhatTheReportOfTheRunSaid) {
  const support::TemporaryFolder folder;
  const results::Results measured = judged_results();
  results::write_results(folder / "full.h5", measured);
  const results::Results read = results::read_results(folder / "full.h5");
  const auto found = analysis::findings_of(measured);
  const auto found_again = analysis::findings_of(read);
  ASSERT_FALSE(found.contrasts.contrasts.empty());
  ASSERT_FALSE(found.explanations.empty());
  ASSERT_FALSE(found.fastest.empty());
  EXPECT_EQ(json(read, found_again), json(measured, found));
  EXPECT_EQ(html(read, found_again), html(measured, found));
  EXPECT_EQ(terminal(read, found_again, {}), terminal(measured, found, {}));
  EXPECT_EQ(next_steps(read, found_again).size(), next_steps(measured, found).size());
}

TEST(ReportOfAFile, SaysTheSameOfTraining) {
  const support::TemporaryFolder folder;
  const auto quality = [](std::uint32_t configuration, std::int64_t seed, double to) -> std::optional<double> {
    if (configuration == 5) return std::nullopt;
    return testing_support::falling(0.95, 0.01)(configuration, seed, to);
  };
  const results::Results measured = testing_support::trained({.configurations = 18, .quality = quality});
  results::write_results(folder / "trained.h5", measured);
  const results::Results read = results::read_results(folder / "trained.h5");
  const auto found = analysis::findings_of(measured);
  const auto found_again = analysis::findings_of(read);
  ASSERT_TRUE(found.learning && found.learning->leader);
  EXPECT_EQ(json(read, found_again), json(measured, found));
  EXPECT_EQ(html(read, found_again), html(measured, found));
  EXPECT_EQ(terminal(read, found_again, {}), terminal(measured, found, {}));
}

}  // namespace
}  // namespace regatta::report
