#include "regatta/results/table.hpp"

#include <gmock/gmock.h>

#include <set>

#include "regatta/base/error.hpp"
#include "regatta/results/parameters_of.hpp"
#include "results/file/varied_results.hpp"
#include "results/files_and_messages.hpp"

namespace regatta::results {
namespace {

using sweep::Value;

Value cell(const Table& table, const std::string& column, std::size_t row) { return column_of(table, column).at(row); }

TEST(Tables, NameEachColumnOnce) {
  const Results results = varied_results();
  for (const std::string& name : table_names()) {
    const Table table = make_table(results, name);
    std::set<std::string> names;
    for (const TableColumn& column : table.columns) EXPECT_TRUE(names.insert(column.name).second) << column.name;
    for (const TableColumn& column : table.columns) {
      for (const std::size_t row : table.rows) {
        const Value value = column.at(row);
        const bool number = std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
        EXPECT_TRUE(std::holds_alternative<std::monostate>(value) || number == column.number) << column.name;
      }
    }
  }
}

TEST(Tables, HaveNoColumnThatAResultMayBeCalledLike) {
  const Results results = varied_results();
  std::set<std::string> free;
  for (const sweep::Param& param : all_parameters(results)) free.emplace(sweep::name_of(param));
  for (const TrialRow& row : results.trials) {
    for (const auto& [name, result] : sweep::value_of<sweep::ProgramResults>(row.facts, sweep::Fact::results))
      free.insert(name);
  }
  for (const TableColumn& column : make_table(results, "trials").columns)
    EXPECT_TRUE(free.contains(column.name) || !sweep::may_be_result(column.name)) << column.name;
}

TEST(Tables, TellWhatMayHaveDisturbedATrial) {
  Results results = varied_results();
  results.blocks.clear();
  for (SlotRow& slot : results.devices) slot.flags = {};
  const stats::Flags both = {stats::Flag::other_run, stats::Flag::neighbours};
  const stats::Flags one = {stats::Flag::other_run};
  for (const stats::Flags& flags : {both, one}) {
    results.blocks.emplace_back().arms = {TrialIndex{0}};
    results.blocks.back().flags = flags;
  }
  const Table table = make_table(results, "trials");
  EXPECT_EQ(cell(table, "flags", 0), Value("other run,neighbours"));
  EXPECT_EQ(cell(table, "flags", 1), Value(""));
}

TEST(Tables, HoldATrialsParametersOutcomeNumbersAndPlaces) {
  const Results results = varied_results();
  const Table table = make_table(results, "trials");
  ASSERT_EQ(table.rows.size(), results.trials.size());
  EXPECT_EQ(cell(table, "trial_hash", 0), Value(to_string(results.trials[0].hash)));
  EXPECT_EQ(cell(table, "engine", 0), Value("native"));
  EXPECT_EQ(cell(table, "batch", 0), Value(std::int64_t{8}));
  EXPECT_EQ(cell(table, "status", 0), Value("finished"));
  EXPECT_EQ(cell(table, "step_time", 0), Value(results.trials[0].metrics.at("step_time")));
  EXPECT_EQ(cell(table, "host", 0), Value("node1"));
  EXPECT_EQ(cell(table, "slot", 0), Value("cores 0"));
  EXPECT_EQ(cell(table, "version", 0), Value("0.1.0"));
  EXPECT_EQ(cell(table, "source", 0), Value("")) << "it was not merged";
}

TEST(Tables, NameTheNodeOfATrialBesideItsHost) {
  Results results = varied_results();
  EXPECT_EQ(cell(make_table(results, "trials"), "node", 0), Value("")) << "it ran in no batch job";
  results.hosts[static_cast<std::size_t>(results.trials[0].host)].node = "n3";
  EXPECT_EQ(cell(make_table(results, "trials"), "node", 0), Value("n3"));
}

TEST(Tables, LeaveOutWhatIsNotReadOrWasNotMeasured) {
  const Results results = varied_results();
  const Table table = make_table(results, "trials");
  for (std::size_t row = 0; row < results.trials.size(); ++row) {
    const bool reads_mode = cell(table, "engine", row) != Value("numpy");
    EXPECT_EQ(cell(table, "mode", row) != Value(), reads_mode) << row;
    const bool finished = cell(table, "status", row) == Value("finished");
    EXPECT_EQ(cell(table, "step_time", row) != Value(), finished) << row;
  }
}

TEST(Tables, TellBothArmsOfAComparison) {
  const Results results = varied_results();
  const Table table = make_table(results, "contrasts");
  EXPECT_EQ(cell(table, "trial_hash", 0), Value(to_string(results.trials[1].hash)));
  EXPECT_EQ(cell(table, "baseline_hash", 0), Value(to_string(results.trials[0].hash)));
  EXPECT_EQ(cell(table, "baseline_engine", 0), Value("native"));
  EXPECT_EQ(cell(table, "ratio", 0), Value(1.5));
  EXPECT_EQ(cell(table, "low", 0), Value()) << "an interval that is not known";
  EXPECT_EQ(cell(table, "verdict", 0), Value("slower"));
  EXPECT_EQ(cell(table, "confirmed", 0), Value(std::int64_t{1}));
  EXPECT_EQ(cell(table, "resolution", 0), Value(0.02));
}

TEST(Tables, HoldEverySampleWithTheAxesOfItsTrial) {
  const Results results = varied_results();
  const Table table = make_table(results, "samples");
  ASSERT_EQ(table.rows.size(), results.samples.size());
  EXPECT_EQ(cell(table, "phase", 0), Value("first"));
  EXPECT_EQ(cell(table, "wall_s", 0), Value(1.0));
  EXPECT_EQ(cell(table, "engine", 0), Value("native"));
}

TEST(Tables, TakeTheNamesOfTheFileAndSuggestThoseThatAreMisspelt) {
  const Results results = varied_results();
  const Table table = make_table(results, "trials");
  EXPECT_EQ(column_of(table, "f_batch").name, "batch");
  EXPECT_EQ(column_of(table, "m_step_time").name, "step_time");
  EXPECT_EQ(message_of<InputError>([&] { column_of(table, "enginee"); }),
            "there is no column 'enginee' in trials; did you mean 'engine'?");
  const Table samples = make_table(results, "samples");
  EXPECT_EQ(message_of<InputError>([&] { column_of(samples, "colour"); }),
            "there is no column 'colour' in samples; the columns are trial_hash, engine, mode, model, batch, "
            "block_index, arm, slice, rank, square, phase, flags, steps, t_start, wall_s");
  EXPECT_EQ(message_of<InputError>([&] { make_table(results, "rows"); }),
            "there is no table 'rows'; the tables are trials, contrasts, samples, legs, curves");
}

}  // namespace
}  // namespace regatta::results
