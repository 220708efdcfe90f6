#include "regatta/sweep/program_results.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "regatta/base/error.hpp"
#include "regatta/sweep/facts.hpp"

namespace regatta::sweep {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(ProgramResults, AreReadBackAsTheyWereWritten) {
  ProgramResults told;
  note(told, 0, "residual", {1e-6, "K"});
  note(told, 2, "residual", {-infinite, "K"});
  note(told, 1, "b.c", {nan});
  const std::string json = results_json(told);
  EXPECT_EQ(json, R"({"b.c":{"unit":"","values":[null,"nan"]},"residual":{"unit":"K","values":[1e-06,null,"-inf"]}})");
  EXPECT_EQ(results_json(parse_results(json)), json);
  EXPECT_EQ(results_json({}), "");
  EXPECT_TRUE(parse_results("").empty());
}

TEST(ProgramResults, KeepAnyUnitAndTheLargestAndSmallestNumbers) {
  ProgramResults told;
  note(told, 0, "a", {std::numeric_limits<double>::max(), std::string("\1\"\\\x7f\xe2\x80\xa8\n")});
  note(told, 1, "a", {std::numeric_limits<double>::denorm_min(), told.at("a").unit});
  note(told, 2, "a", {-0.0, told.at("a").unit});
  EXPECT_EQ(parse_results(results_json(told)), told);
}

TEST(ProgramResults, LastNumberOfARunWins) {
  ProgramResults told;
  note(told, 0, "a", {1});
  note(told, 0, "a", {2, "m"});
  EXPECT_EQ(results_json(told), R"({"a":{"unit":"m","values":[2.0]}})");
}

TEST(ProgramResults, OfAllRunsHaveTheUnitOfTheFirst) {
  ProgramResults told;
  note(told, 0, "a", {1.2, "s"});
  note(told, 1, "a", {900, "ms"});
  note(told, 2, "a", {nan});
  EXPECT_EQ(results_json(told), R"({"a":{"unit":"s","values":[1.2,0.9,"nan"]}})");
  ProgramResults later;
  note(later, 0, "a", {5e5, "us"});
  append(told, later);
  EXPECT_EQ(results_json(told), R"({"a":{"unit":"s","values":[1.2,0.9,"nan",0.5]}})");
  convert_to(told.at("a"), "a", "ms");
  EXPECT_EQ(results_json(told), R"({"a":{"unit":"ms","values":[1200.0,900.0,"nan",500.0]}})");
}

TEST(ProgramResults, InUnlikeUnitsAreRefusedWithBoth) {
  ProgramResults told;
  note(told, 0, "a", {300, "K"});
  const auto refusal = [](auto call) -> std::string {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal([&] {
              note(told, 1, "a",
                   {27,
                    "\xc2\xb0"
                    "C"});
            }),
            "told 'a' in different units, \"K\" and \"\xc2\xb0"
            "C\", and Regatta cannot convert one into the other; "
            "tell it in one unit everywhere");
  EXPECT_NE(refusal([&] { note(told, 1, "a", {300}); }).find("\"K\" and no unit"), std::string::npos);
  EXPECT_NE(refusal([&] { convert_to(told.at("a"), "a", "s"); }).find("\"s\" and \"K\""), std::string::npos);
  EXPECT_EQ(results_json(told), R"({"a":{"unit":"K","values":[300.0]}})") << "nothing was mixed";
}

TEST(ProgramResults, OfLaterRunsStandBehindThoseOfEarlierOnes) {
  ProgramResults told, later;
  note(told, 1, "a", {1});
  note(later, 0, "a", {2});
  note(later, 0, "b", {3});
  append(told, later);
  EXPECT_EQ(results_json(told),
            R"({"a":{"unit":"","values":[null,1.0,2.0]},"b":{"unit":"","values":[null,null,3.0]}})");
}

TEST(ProgramResults, MoreThanAreKeptAreDropped) {
  ProgramResults told;
  for (std::size_t i = 0; i <= most_results; ++i) note(told, 0, "r" + std::to_string(i), {1});
  note(told, most_result_runs, "r0", {2});
  EXPECT_EQ(told.size(), most_results);
  EXPECT_EQ(told.at("r0").values.size(), 1U);
}

TEST(ProgramResults, RemarksSayWhatIsOdd) {
  ProgramResults told;
  note(told, 0, "fine", {1});
  note(told, 1, "fine", {1});
  note(told, 0, "a", {nan});
  note(told, 1, "b", {infinite});
  EXPECT_EQ(remarks_on(told),
            "a is NaN in 1 of 2 runs, missing in 1 of 2 runs; b is infinite in 1 of 2 runs, missing in 1 of 2 runs");
}

TEST(ProgramResults, HaveNamesThatResultsDoNotKnowAlready) {
  for (const char* const name : {"residual", "a.b_2", "val-loss", "error"}) EXPECT_TRUE(may_be_result(name)) << name;
  for (const char* const name :
       {"",     "2a",         "a b",   "n",      "step_time", "peak_memory", "latency_p50", "kernels",
        "host", "flags",      "trial", "status", "version",   "t_start",     "m_step_time", "m_a",
        "f_n",  "baseline_a", "own",   "host_id"})
    EXPECT_FALSE(may_be_result(name)) << name;
}

TEST(ProgramResults, AreComparableWhereEachRunToldOneAboveZero) {
  ProgramResults told;
  note(told, 0, "a", {1});
  note(told, 1, "a", {2});
  EXPECT_EQ(comparable_values(told, "a"), (std::vector<double>{1, 2}));
  note(told, 3, "a", {3});
  EXPECT_TRUE(comparable_values(told, "a").empty()) << "the third run told none";
  EXPECT_TRUE(comparable_values(told, "b").empty());
  for (const double odd : {0.0, -1.0, nan, infinite}) EXPECT_FALSE(are_comparable({{1, odd}})) << odd;
  EXPECT_EQ(finite_values(told, "a"), comparable_values(told, "a"));
  for (const double odd : {nan, infinite}) EXPECT_FALSE(are_finite({{1, odd}})) << odd;
  for (const double any : {0.0, -1.0}) EXPECT_TRUE(are_finite({{1, any}})) << any;
}

TEST(ProgramResults, RefuseWhatIsNoListOfThem) {
  for (const char* const text :
       {"3", "{\"a\": 3}", "{\"a\": {\"unit\": \"\"}}", "{\"a\": {\"unit\": \"\", \"values\": [true]}}",
        "{\"a b\": {\"unit\": \"\", \"values\": []}}", "{"})
    EXPECT_THROW(parse_results(text), InputError) << text;
}

TEST(ResultPattern, IsOneOfEcmascript) {
  std::smatch match;
  const std::string line = "step 7: loss=0.5";
  ASSERT_TRUE(std::regex_search(line, match, result_pattern("loss=(\\d+\\.\\d*)")));
  EXPECT_EQ(match[1].str(), "0.5");
}

std::string pattern_refusal(const std::string& pattern) {
  try {
    result_pattern(pattern);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResultPattern, HasNoBackReferences) {
  EXPECT_EQ(pattern_refusal("(a)\\1"), "a regular expression without back-references such as \\1");
}

TEST(ResultPattern, IsRefusedForWhatIsWrongWithIt) {
  EXPECT_EQ(pattern_refusal("(a{1000}){1000}"),
            "a shorter regular expression (a repetition such as {1000} counts a thousand times)");
  EXPECT_EQ(pattern_refusal("loss=([0-9"), "a regular expression in which each [ has its ]");
  EXPECT_EQ(pattern_refusal("a{2"), "a regular expression in which each { has its }");
}

TEST(ResultPattern, IsRefusedIfItIsNone) {
  for (const char* pattern : {"loss=([0-9]+", "[z-a]", "*", "(?<name>x)"})
    EXPECT_THROW(result_pattern(pattern), InputError) << pattern;
}

TEST(ResultPattern, TakesLongTexts) {
  EXPECT_FALSE(std::regex_search(std::string(2000, 'a'), result_pattern("^(a*)*b")));
  EXPECT_TRUE(std::regex_search(std::string(1000000, 'a'), result_pattern("^.*a$")));
}

}  // namespace
}  // namespace regatta::sweep
