#include "regatta/results/query.hpp"

#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "results/file/varied_results.hpp"
#include "results/files_and_messages.hpp"

namespace regatta::results {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

/// Three batches of native eager, graph and xla (skipped) and of numpy, which reads no mode.
class Queries : public testing::Test {
 protected:
  Results results = varied_results();

  [[nodiscard]] Table chosen(const std::vector<std::string>& conditions, const std::string& sort = "") const {
    return select(make_table(results, "trials"), {conditions, {}, sort});
  }
  /// A column of the chosen rows, as people read it.
  [[nodiscard]] std::vector<std::string> values(const std::string& column, const std::vector<std::string>& conditions,
                                                const std::string& sort = "") const {
    const Table table = chosen(conditions, sort);
    std::vector<std::string> texts;
    for (const std::size_t row : table.rows) texts.push_back(sweep::to_text(column_of(table, column).at(row)));
    return texts;
  }
  [[nodiscard]] std::string refusal(const std::string& condition) const {
    return message_of<InputError>([&] { static_cast<void>(chosen({condition})); });
  }
};

TEST_F(Queries, KeepRowsThatHoldEveryCondition) {
  EXPECT_EQ(chosen({}).rows.size(), results.trials.size());
  EXPECT_THAT(values("batch", {"engine=native", "mode=eager"}), ElementsAre("8", "32", "64"));
  EXPECT_THAT(values("mode", {"engine=native", "mode=eager,graph", "batch=8"}), ElementsAre("eager", "graph"));
  EXPECT_THAT(values("status", {"status!=finished,open,skipped"}), ElementsAre("failed"));
  EXPECT_THAT(values("batch", {"engine=numpy", "batch>8"}), ElementsAre("32", "64"));
  EXPECT_THAT(values("batch", {"engine=numpy", "batch<=32"}), ElementsAre("8", "32"));
  EXPECT_THAT(values("batch", {"engine=numpy", "batch>=64"}), ElementsAre("64"));
}

TEST_F(Queries, UnderstandTheNamesThatTheFileHas) {
  const Table table = make_table(results, "trials");
  for (const auto& [in_file, here] : std::vector<std::pair<std::string, std::string>>{{"f_batch", "batch"},
                                                                                      {"m_step_time", "step_time"},
                                                                                      {"error_text", "reason"},
                                                                                      {"host_id", "host"},
                                                                                      {"env_id", "environment"},
                                                                                      {"device_id", "slot"}})
    EXPECT_EQ(column_of(table, in_file).name, here);
}

TEST_F(Queries, UnderstandUnits) {
  const auto fast = values("step_time", {"step_time<3.5ms"});
  EXPECT_FALSE(fast.empty());
  EXPECT_EQ(fast, values("step_time", {"step_time<0.0035"}));
  EXPECT_LT(fast.size(), values("step_time", {"step_time<1s"}).size());
  EXPECT_FALSE(values("peak_memory", {"peak_memory>47MiB"}).empty());
  EXPECT_THAT(values("peak_memory", {"peak_memory>48MiB"}), IsEmpty());
}

TEST_F(Queries, FindWhatIsNotThere) {
  EXPECT_THAT(values("engine", {"mode=null"}), Each("numpy"));
  EXPECT_THAT(values("status", {"step_time=null"}), Each(testing::Ne("finished")));
  EXPECT_THAT(values("status", {"step_time!=null"}), Each("finished"));
  EXPECT_THAT(values("engine", {"engine=torch"}), IsEmpty());
}

TEST_F(Queries, SortNumbersBySizeAndWhatIsMissingLast) {
  EXPECT_THAT(values("batch", {"engine=numpy"}, "-batch"), ElementsAre("64", "32", "8"));
  EXPECT_THAT(values("engine", {"batch=8"}, "engine"), ElementsAre("native", "native", "native", "numpy"));
  for (const std::string sort : {"step_time", "-step_time"}) {
    const Table table = chosen({}, sort);
    const TableColumn& column = column_of(table, "step_time");
    EXPECT_NE(column.at(table.rows.front()), sweep::Value()) << sort;
    EXPECT_EQ(column.at(table.rows.back()), sweep::Value()) << sort;
  }
}

TEST_F(Queries, ChooseColumnsInTheOrderThatIsWanted) {
  const Table table = select(make_table(results, "trials"), {{"engine=numpy"}, {"m_step_time", "batch"}, "status"});
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].name, "step_time");
  EXPECT_EQ(table.columns[1].name, "batch");
}

TEST_F(Queries, SayWhatIsWrongWithACondition) {
  EXPECT_EQ(refusal("native"),
            "'native' is no condition (rows are chosen by them); write COLUMN=VALUE, such as engine=native or "
            "'step_time<5ms'");
  EXPECT_EQ(refusal("=native"),
            "'=native' is no condition (rows are chosen by them); write COLUMN=VALUE, such as engine=native or "
            "'step_time<5ms'");
  EXPECT_EQ(refusal("enginee=native"), "there is no column 'enginee' in trials; did you mean 'engine'?");
  EXPECT_EQ(refusal("engine<native"), "'engine<native': 'engine' holds text, which has no order; use = or !=");
  EXPECT_EQ(refusal("step_time<fast"),
            "'step_time<fast': found 'fast', expected a number of seconds or a time, such as 5ms");
  EXPECT_EQ(refusal("peak_memory>big"),
            "'peak_memory>big': found 'big', expected a number of bytes or a size, such as 64MiB");
  EXPECT_EQ(refusal("batch=few"), "'batch=few': found 'few', expected a number");
  EXPECT_EQ(refusal("batch<null"), "'batch<null': found 'null', expected a number");
}

TEST_F(Queries, FindATrialByTheFirstDigitsOfItsId) {
  results.trials[0].hash = *parse_hash128("abcd0000000000000000000000000000");
  results.trials[1].hash = *parse_hash128("abcd1000000000000000000000000000");
  for (std::size_t i = 2; i < results.trials.size(); ++i) results.trials[i].hash = Hash128{};
  EXPECT_EQ(find_trial(results, "abcd1").value, 1U);
  EXPECT_EQ(find_trial(results, "abcd0000000000000000000000000000").value, 0U);
  const auto refused = [&](const std::string& digits) {
    return message_of<InputError>([&] { find_trial(results, digits); });
  };
  EXPECT_EQ(refused("abcd"),
            "2 trials have an id that begins with abcd (abcd0000000000000000000000000000, "
            "abcd1000000000000000000000000000); give more digits");
  EXPECT_EQ(refused("0"),
            "10 trials have an id that begins with 0 (00000000000000000000000000000000, "
            "00000000000000000000000000000000, 00000000000000000000000000000000, ...); give more digits");
  EXPECT_EQ(refused("ffff"), "no trial has an id that begins with ffff; `regatta query FILE` lists them");
  for (const std::string digits : {"", "xyz", "ABCD", "abcd00000000000000000000000000000"}) {
    EXPECT_EQ(refused(digits), "'" + digits +
                                   "' is no id of a trial (up to 32 of the digits 0-9 and a-f); `regatta query FILE` "
                                   "lists them");
  }
}

}  // namespace
}  // namespace regatta::results
