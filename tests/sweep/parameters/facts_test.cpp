#include "regatta/sweep/facts.hpp"

#include <gtest/gtest.h>

#include <set>

#include "regatta/base/error.hpp"

namespace regatta::sweep {
namespace {

TEST(Facts, TableNamesEachFactOnceInTheOrderOfTheirNumbers) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < fact_table.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(fact_table[i].fact), i) << "a journal reads the number";
    EXPECT_TRUE(names.insert(fact_table[i].tag).second) << fact_table[i].tag;
    EXPECT_EQ(fact_table[i].column.empty(), fact_table[i].description.empty()) << fact_table[i].tag;
    EXPECT_EQ(is_text(fact_table[i]) || fact_table[i].column.empty(), fact_table[i].unit.empty()) << fact_table[i].tag;
  }
}

TEST(Facts, AreOrderedAndKnownOnce) {
  Facts facts;
  set(facts, Fact::kernels, "avx2");
  set(facts, Fact::engine_version, "1");
  set(facts, Fact::kernels, "avx512");
  EXPECT_EQ(facts, (Facts{{Fact::engine_version, "1"}, {Fact::kernels, "avx512"}}));
  EXPECT_EQ(text_of(facts, Fact::kernels), "avx512");
  EXPECT_EQ(text_of(facts, Fact::verified_detail), "");
}

TEST(Facts, AnEmptyValueIsNotKnown) {
  Facts facts{{Fact::peak_bytes, std::int64_t{5}}};
  EXPECT_EQ(number_of(facts, Fact::peak_bytes), 5);
  set(facts, Fact::peak_bytes, std::int64_t{0});
  set(facts, Fact::kernels, "");
  EXPECT_TRUE(facts.empty());
  EXPECT_EQ(number_of(facts, Fact::peak_bytes), 0);
}

TEST(Facts, LaterOnesReplaceEarlierOnes) {
  Facts facts{{Fact::engine_version, "1"}, {Fact::kernels, "avx2"}};
  merge(facts, {{Fact::prepare_seconds, 0.5}, {Fact::kernels, "avx512"}});
  EXPECT_EQ(facts, (Facts{{Fact::engine_version, "1"}, {Fact::prepare_seconds, 0.5}, {Fact::kernels, "avx512"}}));
}

TEST(Facts, ThatAreNoNumbersHaveATextThatIsReadBack) {
  const Facts known{{Fact::kernels, "avx2"},
                    {Fact::process_peaks, ProcessPeaks{1, 2}},
                    {Fact::why_stopped, WhyStopped::fixed_slices},
                    {Fact::results, ProgramResults{{"a", {"K", {0.5}}}}},
                    {Fact::exchange_buckets, std::vector<BucketTimes>{{8, 1, 2, 3}}},
                    {Fact::exchange_ranks, std::vector<RankTimes>{{1, 2, 3}}}};
  for (const KnownFact& fact : known) {
    const FactInfo& row = info(fact.fact);
    ASSERT_TRUE(is_text(row)) << row.tag;
    EXPECT_NE(text_of(fact.value), "") << row.tag;
    EXPECT_EQ(parse_fact(row, text_of(fact.value)), fact.value) << row.tag;
  }
  for (const FactInfo& row : fact_table) {
    if (!is_text(row)) continue;
    EXPECT_EQ(text_of(row.zero), "") << row.tag;
    EXPECT_EQ(parse_fact(row, ""), row.zero) << row.tag;
  }
}

TEST(Facts, RefuseATextThatIsNotOfTheirKind) {
  for (const Fact fact : {Fact::process_peaks, Fact::why_stopped, Fact::results, Fact::exchange_buckets})
    EXPECT_THROW(parse_fact(info(fact), "soon"), InputError) << info(fact).tag;
  EXPECT_THROW(parse_fact(info(Fact::peak_bytes), "5"), InternalError) << "a number has no text";
}

TEST(Facts, AreHandedOverAsNumbersOrTexts) {
  const auto plain = [](const FactValue& value) {
    std::variant<std::string, double, std::int64_t> handed;
    visit_plain(value, [&](const auto& held) { handed = held; });
    return handed;
  };
  EXPECT_EQ(std::get<double>(plain(0.5)), 0.5);
  EXPECT_EQ(std::get<std::int64_t>(plain(std::int64_t{3})), 3);
  EXPECT_EQ(std::get<std::string>(plain("avx2")), "avx2");
  EXPECT_EQ(std::get<std::string>(plain(WhyStopped::decided)), "decided");
}

TEST(Facts, AreTakenByTheirTypeEmptyWhereNothingIsKnown) {
  Facts facts;
  EXPECT_TRUE(value_of<ProcessPeaks>(facts, Fact::process_peaks).empty());
  set(facts, Fact::process_peaks, ProcessPeaks{3});
  EXPECT_EQ(value_of<ProcessPeaks>(facts, Fact::process_peaks), ProcessPeaks{3});
  set(facts, Fact::process_peaks, ProcessPeaks());
  EXPECT_TRUE(facts.empty());
}

TEST(Facts, HaveTheTypeOfTheTable) {
  Facts facts;
  EXPECT_THROW(set(facts, Fact::results, "{}"), InternalError);
  EXPECT_THROW(set(facts, Fact::prepare_seconds, "half a second"), InternalError);
}

}  // namespace
}  // namespace regatta::sweep
