#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ReadBudgets, ReadsBudgetsAndLimitsInBaseUnits) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "noop"},
    "measure": {"margin": "2%", "half_width": "0.5%", "relative_half_width": "2%", "per_contrast": "20s", "total": "10m", "metric": "time_per_step", "slices": 9, "steps": 7, "explain": true, "again": false, "same_work": {"gradient": 0.2}},
    "limits": {"trial_timeout": "5m", "attempts": 2, "memory": "8GiB"})");
  EXPECT_DOUBLE_EQ(sweep.measure.margin, 0.02);
  EXPECT_DOUBLE_EQ(sweep.measure.half_width, 0.005);
  EXPECT_DOUBLE_EQ(sweep.measure.relative_half_width, 0.02);
  EXPECT_EQ(sweep.measure.per_contrast_seconds, 20);
  EXPECT_DOUBLE_EQ(sweep.measure.total_seconds.value(), 600);
  EXPECT_EQ(sweep.measure.metric, Metric::time_per_step);
  EXPECT_EQ(sweep.measure.slices, 9);
  EXPECT_EQ(sweep.measure.steps, 7);
  EXPECT_TRUE(sweep.measure.explain);
  EXPECT_FALSE(sweep.measure.again);
  EXPECT_EQ(sweep.measure.same_work, (SameWork{.gradient = 0.2, .loss = std::nullopt}));
  EXPECT_FALSE(sweep_with(R"("axes": {"model": "noop"})").measure.explain);
  EXPECT_TRUE(sweep_with(R"("axes": {"model": "noop"})").measure.again);
  EXPECT_DOUBLE_EQ(sweep.limits.trial_timeout_seconds, 300);
  EXPECT_EQ(sweep.limits.attempts, 2);
  EXPECT_EQ(sweep.limits.memory_bytes, std::uint64_t{8} << 30);
}

TEST(ReadBudgets, ReadsEveryMetricByItsNameAndTakesItsMargin) {
  for (const MetricInfo& metric : metric_table) {
    if (metric.metric == Metric::result) continue;  // it goes with a name
    const std::string name = R"("axes": {"model": "noop"}, "measure": {"metric": ")" + std::string(metric.name) + '"' +
                             (metric.metric == Metric::time_to_n ? R"(, "n": 10)" : "");
    const Measure measure = sweep_with(name + "}").measure;
    EXPECT_EQ(measure.metric, metric.metric) << metric.name;
    EXPECT_DOUBLE_EQ(measure.margin, metric.margin) << metric.name;
    EXPECT_GE(measure.half_width, metric.margin) << "no narrower than what matters";
    EXPECT_DOUBLE_EQ(sweep_with(name + R"(, "margin": "3%"})").measure.margin, 0.03) << metric.name;
  }
}

TEST(ReadBudgets, AResultOfProgramsMayBeTheMetric) {
  const std::string measure = R"("axes": {"model": "noop"}, "measure": {"metric": )";
  const Measure lower = sweep_with(measure + R"({"result": "residual", "margin": "5%"}})").measure;
  EXPECT_EQ(lower.metric, Metric::result);
  EXPECT_EQ(lower.result, (ComparedResult{"residual", Better::lower}));
  EXPECT_DOUBLE_EQ(lower.margin, 0.05);
  EXPECT_GE(lower.half_width, 0.05);
  EXPECT_FALSE(lower.result_margin);
  EXPECT_EQ(sweep_with(measure + R"({"result": "reward", "margin": 0.01}})").measure.result_margin, 0.01);
  EXPECT_EQ(sweep_with(measure + R"({"result": "reward", "margin": 2}})").measure.result_margin, 2.0);
  EXPECT_EQ(sweep_with(measure + R"({"result": "gain", "goal": "higher"}})").measure.result,
            (ComparedResult{"gain", Better::higher}));
  const auto error = [](const std::string& metric) {
    return error_with(two_engines + R"("measure": {"metric": )" + metric + "}");
  };
  EXPECT_EQ(error("{}"),
            "s.json:3: /measure/metric/result: found nothing, expected the name of a number that the "
            "programs tell, such as \"residual\"");
  EXPECT_EQ(
      error(R"({"result": "step_time"})"),
      "s.json:3: /measure/metric/result: found \"step_time\", expected a name that begins with a letter, has letters, "
      "digits, '_', '.' or '-', and is no column of the results (such as host)");
  EXPECT_EQ(error(R"({"result": "a", "goal": "best"})"),
            "s.json:3: /measure/metric/goal: found \"best\", expected \"lower\" or \"higher\"");
  EXPECT_EQ(error(R"({"result": "a", "margin": "1%"}, "margin": "2%")"),
            "s.json:3: /measure/margin: found \"2%\", expected no second \"margin\" beside that of \"metric\"");
  EXPECT_EQ(error(R"("result")").substr(0, 43), "s.json:3: /measure/metric: found \"result\", ");
}

TEST(ReadBudgets, TimeToNSaysHowManySteps) {
  const std::string measure = R"("axes": {"model": "noop"}, "measure": {"metric": )";
  EXPECT_EQ(sweep_with(measure + R"("time_to_n", "n": 1000})").measure.n, 1000);
  EXPECT_FALSE(sweep_with(measure + R"("peak_memory"})").measure.n);
  EXPECT_EQ(error_with(two_engines + R"("measure": {"metric": "time_to_n"})"),
            "s.json:3: /measure/metric: found \"time_to_n\", expected it beside \"n\", the number of steps, such as "
            "{\"metric\": \"time_to_n\", \"n\": 1000}");
  EXPECT_EQ(error_with(two_engines + R"("measure": {"n": 1000})"),
            "s.json:3: /measure/n: found 1000, expected no \"n\" unless \"metric\" is \"time_to_n\"");
}

TEST(ReadBudgets, BudgetsAndLimits) {
  const std::string percent = ", expected a percentage above zero, up to \"100%\", such as \"1%\"";
  const std::string duration = ", expected a duration above zero such as \"300s\"";
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"margin\": 1}"), "s.json:3: /measure/margin: found 1" + percent);
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"margin\": \"0%\"}"),
            "s.json:3: /measure/margin: found \"0%\"" + percent);
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"half_width\": \"101%\"}"),
            "s.json:3: /measure/half_width: found \"101%\"" + percent);
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"per_contrast\": \"3 days\"}"),
            "s.json:3: /measure/per_contrast: found \"3 days\"" + duration);
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"total\": 300}"),
            "s.json:3: /measure/total: found 300" + duration);
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"metric\": \"time_per_stp\"}"),
            "s.json:3: /measure/metric: found \"time_per_stp\", expected \"time_per_sample\", \"time_per_step\", "
            "\"latency_p50\", \"latency_p95\", \"latency_p99\", \"peak_memory\" or \"time_to_n\"; did you mean "
            "\"time_per_step\"?");
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"explain\": 1}"),
            "s.json:3: /measure/explain: found 1, expected true or false");
  EXPECT_EQ(error_with(two_engines + "\"measure\": {\"slices\": 0}"),
            "s.json:3: /measure/slices: found 0, expected an integer from 1 to 1000000");
  EXPECT_EQ(error_with(two_engines + "\"limits\": {\"memory\": \"8GiBB\"}"),
            "s.json:3: /limits/memory: found \"8GiBB\", expected a size above zero such as \"8GiB\"");
  EXPECT_EQ(error_with(two_engines + "\"limits\": {\"attempts\": -1}"),
            "s.json:3: /limits/attempts: found -1, expected an integer from 1 to 100");
  EXPECT_EQ(error_with(two_engines + "\"limits\": {\"trial_timeout\": \"-3s\"}"),
            "s.json:3: /limits/trial_timeout: found \"-3s\"" + duration);
  EXPECT_EQ(error_with(two_engines + "\"limits\": {\"timeout\": \"3s\"}"),
            "s.json:3: /limits/timeout: found the unknown key \"timeout\", expected \"trial_timeout\", "
            "\"attempts\", \"memory\", \"failures\" or \"retry_timeouts\"");
  EXPECT_EQ(error_with(two_engines + "\"limits\": 3"), "s.json:3: /limits: found 3, expected an object");
}

/// Every text that is no quantity, as `expected` says at this place.
void expect_refused(const std::string& section, const std::string& key, const std::vector<std::string>& values,
                    const std::string& expected) {
  for (const std::string& value : values) {
    EXPECT_EQ(error_with(two_engines + "\"" + section + "\": {\n\"" + key + "\": " + value + "}"),
              "s.json:4: /" + section + "/" + key + ": found " + value + ", expected " + expected);
  }
}

TEST(ReadBudgets, NonsenseInEveryDurationSizeAndPercentage) {
  const std::vector<std::string> durations = {"\"\"",      "\"s\"",      "\"5\"",    "\"5 s\"",  "\"s5\"",   "\"-1s\"",
                                              "\"0s\"",    "\"1e999s\"", "\"nans\"", "\"infs\"", "\"5sec\"", "\"5S\"",
                                              "\"1h30m\"", "\"0x5s\"",   "5",        "null",     "true"};
  for (const auto& [section, key] : std::vector<std::pair<std::string, std::string>>{
           {"measure", "per_contrast"}, {"measure", "total"}, {"limits", "trial_timeout"}}) {
    expect_refused(section, key, durations, "a duration above zero such as \"300s\"");
  }
  const std::vector<std::string> percentages = {"\"\"",    "\"%\"",  "\"1\"",    "\"1 %\"",  "\"%1\"",
                                                "\"-1%\"", "\"0%\"", "\"1e9%\"", "\"nan%\"", "\"101%\"",
                                                "\"1%%\"", "0.01",   "null",     "false"};
  for (const std::string key : {"margin", "half_width", "relative_half_width"})
    expect_refused("measure", key, percentages, "a percentage above zero, up to \"100%\", such as \"1%\"");
  const std::vector<std::string> sizes = {"\"\"",   "\"GiB\"",  "\"8\"",     "\"8 GiB\"",   "\"GiB8\"", "\"-8GiB\"",
                                          "\"0B\"", "\"8gib\"", "\"8GiBB\"", "\"1e30TiB\"", "8",        "null"};
  expect_refused("limits", "memory", sizes, "a size above zero such as \"8GiB\"");
}

TEST(ReadBudgets, AMetricOfACommandIsSentThere) {
  const std::string error = error_with(two_engines + "\"measure\": {\n\"metric\": \"json:seconds\"}");
  EXPECT_NE(error.find("stands in the command, under \"commands\""), std::string::npos) << error;
}

}  // namespace
}  // namespace regatta::sweep
