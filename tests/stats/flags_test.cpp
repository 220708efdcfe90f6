#include "regatta/stats/flags.hpp"

#include <gtest/gtest.h>

namespace regatta::stats {
namespace {

TEST(Flags, ArePrintedInOneOrderAndReadBack) {
  const Flags flags = {Flag::drifting, Flag::neighbours, Flag::close_work};
  EXPECT_EQ(text_of(flags), "close, not verified,neighbours,drifting");
  EXPECT_EQ(text_of(flags, "; "), "close, not verified; neighbours; drifting");
  EXPECT_EQ(parse_flags(text_of(flags)), flags);
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(parse_flags(""), Flags());
  for (std::size_t i = 0; i < flag_names.size(); ++i) {
    const Flags one = {static_cast<Flag>(i)};
    EXPECT_EQ(parse_flags(flag_names[i]), one) << flag_names[i];
    EXPECT_EQ(flags_of_bits(one.bits), one) << flag_names[i];
  }
}

TEST(Flags, RefuseWhatIsNone) {
  for (const char* text : {"no flag", "drifting,no flag", "drifting2", "drifting, spikes", ",", "close"})
    EXPECT_EQ(parse_flags(text), std::nullopt) << text;
  EXPECT_EQ(flags_of_bits(std::uint64_t{1} << flag_names.size()), std::nullopt);
}

TEST(Flags, AreASet) {
  Flags flags = {Flag::drifting};
  EXPECT_TRUE(flags.any() && flags.has(Flag::drifting) && !flags.has(Flag::spikes));
  flags.add(Flags{Flag::spikes, Flag::drifting});
  EXPECT_EQ(flags.without({Flag::drifting}), Flags{Flag::spikes});
  EXPECT_EQ(flags.without(judgement_flags), Flags());
}

}  // namespace
}  // namespace regatta::stats
