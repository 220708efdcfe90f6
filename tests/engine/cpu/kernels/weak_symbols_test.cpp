// Files compiled for an instruction set beyond the baseline define no weak symbol: the linker could take
// their copy of an inline function for the whole program, which would then stop on older processors.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <regex>
#include <string>

#include "support/places.hpp"

namespace regatta::engine {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> chunk{};
  while (pipe != nullptr && std::fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr) text += chunk.data();
  return text;
}

class WeakSymbols : public testing::TestWithParam<std::string> {};

TEST_P(WeakSymbols, AreNotDefined) {
  const std::string archive = support::binary_folder() + "/src/engine/libregatta_engine.a";
  const std::string symbols = output_of("nm -A '" + archive + "' | grep 'kernels_" + GetParam() + ".cpp.o:'");
  EXPECT_NE(symbols.find(" T "), std::string::npos)
      << "found no symbols of kernels_" << GetParam() << " in " << archive;
  const std::regex weak(" [WVu] [^\n]*");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(symbols, found, weak)) << found.str();
}

INSTANTIATE_TEST_SUITE_P(Kernels, WeakSymbols, testing::Values("amx", "avx512", "avx2"));

}  // namespace
}  // namespace regatta::engine
