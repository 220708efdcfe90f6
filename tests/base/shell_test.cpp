#include "regatta/base/shell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace regatta {
namespace {

/// The word that a shell takes `word` for; none at all shows the words behind it.
std::string by_shell(const std::string& word) {
  FILE* pipe = ::popen(("printf %s%.0s " + word + " behind").c_str(), "r");
  std::array<char, 256> text{};
  const std::size_t got = std::fread(text.data(), 1, text.size(), pipe);
  ::pclose(pipe);
  return {text.data(), got};
}

TEST(Shell, PlainWordsStayAsTheyAre) { EXPECT_EQ(shell_word("results/a-1.json"), "results/a-1.json"); }

TEST(Shell, WhatIsPastedIsOneWord) {
  for (const std::string text :
       {"a b.json", "x; touch y; $(id) `id`", "it's", "", "*", "~/a", "a\nb", "\\", "$HOME", "#"})
    EXPECT_EQ(by_shell(shell_word(text)), text) << shell_word(text);
}

}  // namespace
}  // namespace regatta
