#include "regatta/results/merge.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "regatta/base/error.hpp"
#include "regatta/results/file.hpp"
#include "regatta/results/store.hpp"
#include "regatta/results/told_results.hpp"
#include "results/file/varied_results.hpp"
#include "results/files_and_messages.hpp"
#include "results/sample_sweep.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

/// The results of a run of the sample sweep with these batches on a host; the first `done` of its blocks are measured.
Results part(const std::string& batches, const std::string& host = "node1", std::size_t done = 99) {
  const support::TemporaryFolder folder;
  const SampleSweep sample = sample_sweep(batches);
  {
    StoreWriter writer(folder / "small.regatta", sample.sweep, sample.plan, sample_provenance(sample.sweep.text));
    AgentRecord agent = sample_agent();
    agent.host.name = host;
    writer.agent(agent);
    for (const sweep::Block& block : sample.plan.blocks) {
      if (block.index.value < done)
        writer.result(finished_block(sample.plan, block.index), block_samples(sample.plan, block.index));
    }
    writer.end_session();
  }
  return collect(folder / "small.regatta");
}

std::size_t finished(const Results& results) {
  return static_cast<std::size_t>(std::ranges::count_if(
      results.trials, [](const TrialRow& row) { return std::holds_alternative<sweep::Finished>(row.outcome); }));
}

std::string refusal(const std::vector<MergeInput>& inputs) {
  return message_of<InputError>([&] { merge(inputs); });
}

TEST(Merge, HoldsTheTrialsOfAllFilesAndSaysWhatCameFromWhere) {
  const Results a = part("8");
  const Results b = part("32, 64", "node2");
  const Merged merged = merge({{"a.h5", a}, {"b.h5", b}});
  const Results& all = merged.results;
  EXPECT_EQ(all.trials.size(), a.trials.size() + b.trials.size());
  EXPECT_EQ(all.samples.size(), a.samples.size() + b.samples.size());
  EXPECT_EQ(all.blocks.size(), 3U);
  EXPECT_TRUE(all.complete);
  ASSERT_EQ(all.sources.size(), 2U);
  EXPECT_EQ(all.sources[1].file, "b.h5");
  ASSERT_EQ(all.hosts.size(), 2U);
  for (const TrialRow& row : all.trials) {
    const bool first = std::get<std::int64_t>(row.parameters[sweep::Param::batch]) == 8;
    EXPECT_EQ(all.sources.at(static_cast<std::size_t>(row.source)).file, first ? "a.h5" : "b.h5");
    if (row.host < 0) continue;  // skipped
    EXPECT_EQ(all.hosts.at(static_cast<std::size_t>(row.host)).name, first ? "node1" : "node2");
  }
  EXPECT_EQ(merged.from[0].trials, a.trials.size());
  EXPECT_EQ(merged.from[1].trials, b.trials.size());
}

TEST(Merge, IsTheSameAsOneRunOfEverything) {
  const Results whole = part("8, 32");
  const Results merged = merge({{"a.h5", part("8")}, {"b.h5", part("32")}}).results;
  for (const TrialRow& row : whole.trials) {
    const auto found = std::ranges::find(merged.trials, row.hash, &TrialRow::hash);
    ASSERT_NE(found, merged.trials.end());
    EXPECT_EQ(found->metrics, row.metrics);
    EXPECT_STREQ(sweep::status_of(found->outcome), sweep::status_of(row.outcome));
  }
  for (const SampleRow& row : merged.samples) {
    const BlockRow& block = merged.blocks.at(row.block.value);
    EXPECT_NE(std::ranges::find(block.arms, row.trial), block.arms.end()) << "a sample of a block that has not its arm";
  }
  EXPECT_TRUE(std::ranges::is_sorted(merged.samples, {}, [](const SampleRow& row) { return row.trial; }));
}

TEST(Merge, IsAFileLikeAnyOtherThatKeepsItsSources) {
  const support::TemporaryFolder folder;
  const Results merged = merge({{"a.h5", part("8")}, {"b.h5", varied_results()}, {"c.h5", part("128")}}).results;
  write_results(folder / "all.h5", merged);
  const Results read = read_results(folder / "all.h5");
  expect_same(read, merged);
  ASSERT_EQ(read.sources.size(), 3U);
  EXPECT_EQ(read.sources[2].file, "c.h5");
  EXPECT_EQ(read.sources[2].command_line, "regatta run small.json --ranks 2");
  const Results again = merge({{"all.h5", read}, {"d.h5", part("256")}}).results;
  ASSERT_EQ(again.sources.size(), 4U);
  EXPECT_EQ(again.sources[0].file, "a.h5") << "a merged file passes on where its rows came from";
  EXPECT_EQ(again.sources.at(static_cast<std::size_t>(again.trials.back().source)).file, "d.h5");
}

TEST(Merge, TakesTheRowThatHasAResult) {
  const Results half = part("8, 32", "node1", 1);
  const Results whole = part("8, 32");
  for (const bool half_first : {true, false}) {
    const Merged merged =
        half_first ? merge({{"half.h5", half}, {"whole.h5", whole}}) : merge({{"whole.h5", whole}, {"half.h5", half}});
    EXPECT_EQ(finished(merged.results), finished(whole));
    EXPECT_EQ(merged.results.samples.size(), whole.samples.size()) << "each block once";
    EXPECT_TRUE(merged.results.complete);
    const MergedFrom& from = merged.from[half_first ? 0 : 1];
    EXPECT_EQ(from.file, "half.h5");
    EXPECT_EQ(from.open, 3U);
    EXPECT_EQ(merged.from[0].trials + merged.from[1].trials, whole.trials.size());
  }
}

/// The part, each of whose finished trials told this result.
Results with_result(Results results, const std::string& told) {
  for (TrialRow& row : results.trials) {
    if (!std::holds_alternative<sweep::Finished>(row.outcome)) continue;
    sweep::set(row.facts, sweep::Fact::results, sweep::parse_results(told));
    fill_results(row);
  }
  return results;
}

TEST(Merge, HasResultsInOneUnitOrRefuses) {
  const Results seconds = with_result(part("8"), R"({"t":{"unit":"s","values":[1.2]}})");
  const Results millis = with_result(part("32"), R"({"t":{"unit":"ms","values":[900]}})");
  const Results merged = merge({{"a.h5", seconds}, {"b.h5", millis}}).results;
  std::set<double> values;
  for (const TrialRow& row : merged.trials) {
    if (row.metrics.contains("t")) values.insert(row.metrics.at("t"));
  }
  EXPECT_EQ(values, (std::set<double>{0.9, 1.2}));
  const Results bytes = with_result(part("64"), R"({"t":{"unit":"B","values":[900]}})");
  EXPECT_THAT(refusal({{"a.h5", seconds}, {"b.h5", millis}, {"c.h5", bytes}}),
              testing::StartsWith("'a.h5', 'b.h5' and 'c.h5' told 't' in different units, \"s\" and \"B\""));
}

TEST(Merge, RefusesTwoResultsOfOneTrial) {
  Results other = part("8");
  for (TrialRow& row : other.trials) {
    if (row.metrics.contains("step_time_mean")) row.metrics["step_time_mean"] = 0.0045;
  }
  const Results one = part("8");
  EXPECT_EQ(refusal({{"a.h5", one}, {"b.h5", other}}),
            "trial " + to_string(one.trials[0].hash) +
                " (engine native, mode eager, model mlp-10, batch 8) has different results in 'a.h5' (step_time_mean "
                "0.003 s) and 'b.h5' (step_time_mean 0.0045 s), and a file holds each trial once. Compare the two with "
                "`regatta compare a.h5 b.h5`, or merge files of different trials");
  other.trials[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  EXPECT_THAT(refusal({{"a.h5", one}, {"b.h5", other}}), testing::HasSubstr("'b.h5' (failed), and a file"));
}

TEST(Merge, RefusesFilesThatWouldBeJudgedByOtherRules) {
  Results other = part("32");
  other.name = "large";
  EXPECT_EQ(refusal({{"a.h5", part("8")}, {"b.h5", other}}),
            "'a.h5' holds the sweep 'small', 'b.h5' the sweep 'large' (trials of different sweeps do not belong in one "
            "table); merge files of one sweep");
  other = part("32");
  const std::string text = other.provenance.sweep_json;
  other.provenance.sweep_json = text.substr(0, text.rfind('}')) + R"(, "measure": {"margin": "5%"}})";
  EXPECT_EQ(
      refusal({{"a.h5", part("8")}, {"b.h5", other}}),
      "'a.h5' and 'b.h5' were run with different `measure.margin` (their comparisons would be judged by the wrong "
      "rules); merge files of one sweep");
}

TEST(Merge, KeepsInterventionsBesideTheirTrials) {
  const Results varied = varied_results();
  const Results merged = merge({{"a.h5", part("128")}, {"b.h5", varied}}).results;
  ASSERT_EQ(merged.interventions.size(), varied.interventions.size());
  ASSERT_EQ(merged.intervention_samples.size(), varied.intervention_samples.size());
  for (std::size_t i = 0; i < merged.interventions.size(); ++i) {
    EXPECT_EQ(merged.trials.at(merged.interventions[i].trial.value).hash,
              varied.trials.at(varied.interventions[i].trial.value).hash);
  }
}

}  // namespace
}  // namespace regatta::results
