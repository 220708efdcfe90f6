#include "regatta/sweep/result_pattern.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::sweep {
namespace {

TEST(ResultPattern, IsOneOfEcmascript) {
  std::smatch match;
  const std::string line = "step 7: loss=0.5";
  ASSERT_TRUE(std::regex_search(line, match, result_pattern("loss=(\\d+\\.\\d*)")));
  EXPECT_EQ(match[1].str(), "0.5");
}

TEST(ResultPattern, HasNoBackReferences) { EXPECT_THROW(result_pattern("(a)\\1"), InputError); }

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
