#include <gtest/gtest.h>

#include "sweep/read/read.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

std::string with_two_cores(const std::string& text) {
  return with_all_threads(text, json::parse(text, "s.json"), [] { return std::int64_t{2}; });
}

OutsideEnvironments on_cores(std::int64_t cores) {
  OutsideEnvironments outside = any_environment();
  outside.cores = [cores] { return cores; };
  return outside;
}

std::vector<Value> threads_of(const std::string& keys, std::int64_t cores) {
  const Sweep sweep = parse_sweep(file_with(keys), "s.json", on_cores(cores));
  for (const Axis& axis : sweep.axes)
    if (axis.param == Param::threads) return axis.levels;
  return {};
}

const std::string one_or_all = R"("axes": {"model": "mlp-10", "threads": [1, "all"]})";

TEST(AllThreads, AreTheNumberInItsPlaceAndAllElseStaysWhereItIs) {
  EXPECT_EQ(with_two_cores(R"({"axes": {"threads": [1, "all"], "batch": 1}})"),
            R"({"axes": {"threads": [1, 2    ], "batch": 1}})");
  EXPECT_EQ(with_two_cores(R"({"exclude": [{"threads": "all"}]})"), R"({"exclude": [{"threads": 2    }]})");
  EXPECT_EQ(with_two_cores(R"({"compare": {"baseline": {"threads": "all"}}})"),
            R"({"compare": {"baseline": {"threads": 2    }}})");
}

TEST(AllThreads, MayBeDrawn) {
  EXPECT_EQ(with_two_cores(R"({"axes": {"threads": {"choice": [1, "all"]}}})"),
            R"({"axes": {"threads": {"choice": [1, 2    ]}}})");
}

TEST(AllThreads, AreNotNamedTwice) {
  EXPECT_EQ(with_two_cores(R"({"axes": {"threads": [2, "all"]}})"), R"({"axes": {"threads": [2       ]}})");
  EXPECT_EQ(with_two_cores(R"({"axes": {"threads": ["all", 2]}})"), R"({"axes": {"threads": [       2]}})");
  EXPECT_EQ(with_two_cores(R"({"zip": ["threads", "batch"], "axes": {"threads": ["all", 2], "batch": [1, 2]}})"),
            R"({"zip": ["threads", "batch"], "axes": {"threads": [2    , 2], "batch": [1, 2]}})")
      << "levels that go together may repeat";
}

TEST(AllThreads, LeaveOtherWordsAlone) {
  for (const char* text : {R"({"axes": {"model": {"python": "m.py", "args": {"threads": "all"}}}})",
                           R"({"axes": {"command": "all"}, "name": "threads"})", R"({"threads": "all"})"})
    EXPECT_EQ(with_two_cores(text), text);
}

TEST(AllThreads, AreALevelWhereCoresAreKnown) {
  EXPECT_EQ(threads_of(one_or_all, 4), (std::vector<Value>{std::int64_t{1}, std::int64_t{4}}));
  EXPECT_EQ(threads_of(one_or_all, 1), (std::vector<Value>{std::int64_t{1}})) << "one core is all";
  EXPECT_NE(error_with(one_or_all).find("an integer from 1 to 4096"), std::string::npos);
}

TEST(AllThreads, StandInTheRecordedTextAsANumber) {
  const Sweep sweep = parse_sweep(file_with(one_or_all), "s.json", on_cores(4));
  EXPECT_EQ(sweep.text.find("all"), std::string::npos);
  EXPECT_EQ(parse_sweep(sweep.text, "s.json", any_environment()).axes.size(), sweep.axes.size());
}

TEST(AllThreads, MayBeAskedForOnTheCommandLine) {
  Sweep sweep = parse_sweep(file_with(R"("axes": {"model": "mlp-10"})"), "s.json", on_cores(4));
  set_axis(sweep, "threads=1,all");
  EXPECT_EQ(sweep.changes, (std::vector<std::string>{"--set threads=1,4"}));
  keep_only(sweep, "threads=all");
  EXPECT_EQ(sweep.changes.back(), "--only threads=4");
  EXPECT_EQ(with_all_threads("threads=4,all", [] { return std::int64_t{4}; }), "threads=4");
  EXPECT_EQ(with_all_threads("batch=all", [] { return std::int64_t{4}; }), "batch=all");
}

}  // namespace
}  // namespace regatta::sweep
