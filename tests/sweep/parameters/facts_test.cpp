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

TEST(Facts, HaveTheTypeOfTheTable) {
  Facts facts;
  EXPECT_THROW(set(facts, Fact::prepare_seconds, "half a second"), InternalError);
}

}  // namespace
}  // namespace regatta::sweep
