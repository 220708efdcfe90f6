#include "sweep/plan/fingerprints.hpp"

#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

TEST(Fingerprint, OfSomeParametersIgnoresTheOthers) {
  PointLevels a{};
  PointLevels b{};
  a[3] = 7;
  b[3] = 7;
  b[5] = 1;
  ParamSet both;
  both.set(3).set(5);
  ParamSet one;
  one.set(3);
  EXPECT_EQ(fingerprint_of(a, one), fingerprint_of(b, one));
  EXPECT_NE(fingerprint_of(a, both), fingerprint_of(b, both));
}

TEST(Fingerprint, TellsLevelsOfDifferentParametersApart) {
  PointLevels a{};
  PointLevels b{};
  a[1] = 1;
  b[2] = 1;
  EXPECT_NE(fingerprint_of(a, ParamSet().set()), fingerprint_of(b, ParamSet().set()));
}

TEST(FingerprintTable, NumbersInOrderOfFirstAppearance) {
  FingerprintTable table;
  EXPECT_EQ(table.find({1, 2}), std::nullopt);
  constexpr std::uint64_t many = 20'000;
  for (std::uint64_t i = 0; i < many; ++i) {
    EXPECT_EQ(table.add({i % 5000, i}), std::pair(static_cast<std::uint32_t>(i), true));  // many share a slot
  }
  for (std::uint64_t i = 0; i < many; i += 7) {
    EXPECT_EQ(table.add({i % 5000, i}), std::pair(static_cast<std::uint32_t>(i), false));
    EXPECT_EQ(table.find({i % 5000, i}), static_cast<std::uint32_t>(i));
  }
  EXPECT_EQ(table.size(), many);
  EXPECT_EQ(table.find({0, many}), std::nullopt);
}

}  // namespace
}  // namespace regatta::sweep
