#include "run/fail_on.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

/// "3 %", "3 % early undecided".
std::string read(const std::string& text) {
  const FailOn fail_on = parse_fail_on(text);
  return std::to_string(std::lround(100 * fail_on.slower)) + " %" + (fail_on.early ? " early" : "") +
         (fail_on.undecided ? " undecided" : "");
}

TEST(FailOn, CountsConfirmedVerdictsAloneUnlessToldOtherwise) {
  EXPECT_EQ(read("slower:3%"), "3 %");
  EXPECT_EQ(read("slower:3%,early"), "3 % early");
  EXPECT_EQ(read("slower:3%,undecided"), "3 % undecided");
  EXPECT_EQ(read("slower:3%,early,undecided"), "3 % early undecided");
  EXPECT_EQ(read("slower:3%,undecided,early"), "3 % early undecided") << "in any order";
}

TEST(FailOn, RefusesWhatItCannotRead) {
  for (const char* text : {"", "slower", "slower:", "slower:3%,late", "slower:3%early", ",early", "slower:,early",
                           "faster:3%", "slower:3%,early,"})
    EXPECT_THROW(parse_fail_on(text), InputError) << text;
}

}  // namespace
}  // namespace regatta::launcher
