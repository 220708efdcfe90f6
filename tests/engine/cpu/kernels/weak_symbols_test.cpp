// Files compiled for an instruction set beyond the baseline define no weak symbol: the linker could take
// their copy of an inline function for the whole program, which would then stop on older processors.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "support/command_output.hpp"
#include "support/places.hpp"

namespace regatta::engine {
namespace {

class WeakSymbols : public testing::TestWithParam<std::string> {};

TEST_P(WeakSymbols, AreNotDefined) {
  const std::string archive = support::binary_folder() + "/src/engine/libregatta_engine.a";
  const std::string symbols =
      support::command_output("nm -A '" + archive + "' | grep 'kernels_" + GetParam() + ".cpp.o:'");
  EXPECT_NE(symbols.find(" T "), std::string::npos)
      << "found no symbols of kernels_" << GetParam() << " in " << archive;
  const std::regex weak(" [WVu] [^\n]*");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(symbols, found, weak)) << found.str();
}

INSTANTIATE_TEST_SUITE_P(Kernels, WeakSymbols, testing::Values("amx", "avx512", "avx2"));

}  // namespace
}  // namespace regatta::engine
