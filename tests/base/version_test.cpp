#include "regatta/base/version.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace regatta {
namespace {

TEST(Version, IsThreeNumbers) { EXPECT_TRUE(std::regex_match(regatta_version(), std::regex(R"(\d+\.\d+\.\d+)"))); }

}  // namespace
}  // namespace regatta
