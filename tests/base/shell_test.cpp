#include "regatta/base/shell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "regatta/base/clean.hpp"

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

TEST(Shell, WordsAreReadBack) {
  const std::vector<std::string> words = {"regatta", "run", "my sweep.json", "--set", "",   "it's",
                                          "a\nb",    "'",   "x=';",          "$HOME", "\\", "\\'"};
  std::string command;
  for (const std::string& word : words) command += " " + shell_word(word);
  EXPECT_EQ(shell_words(command), words);
  EXPECT_EQ(shell_words(""), std::vector<std::string>());
  EXPECT_EQ(shell_words("  a  b "), (std::vector<std::string>{"a", "b"}));
}

TEST(Shell, WhatNoTerminalMayShowIsEscapedAndStaysOneWord) {
  for (const std::string text : {"f\033[31m.h5", "a\u202eb.h5", "a b\x07's", "caf\xe9",
                                 "\x9b"
                                 "31m"}) {
    const std::string word = shell_word(text);
    EXPECT_EQ(clean(word), word);
    const auto words = shell_words("regatta report " + word);
    ASSERT_TRUE(words) << word;
    EXPECT_EQ(words->back(), text) << word;
  }
  EXPECT_EQ(shell_word("f\033.h5"), "$'f\\033.h5'");
  for (const char* command : {"$'a", "$'\\9'", "$'\\n'", "$'a b'", "$\"a\""})
    EXPECT_FALSE(shell_words(command)) << command;
}

TEST(Shell, NamesOfFilesAreNoOptions) {
  EXPECT_EQ(shell_path("-x/mini.h5"), "./-x/mini.h5");
  EXPECT_EQ(shell_path("--html"), "./--html");
  EXPECT_EQ(shell_path("results/a-1.h5"), "results/a-1.h5");
  EXPECT_EQ(shell_path("my results/a.h5"), "'my results/a.h5'");
  EXPECT_EQ(shell_path("a\nb"), "$'a\\012b'") << "a name stays in its line";
}

TEST(Shell, CommandsThatDoMoreAreNoWords) {
  for (const char* command : {"a; b", "a | b", "a $HOME", "a `b`", "a \"b\"", "a 'b", "a\\ b", "a &", "a > b", "a\nb",
                              "a\tb", "~/a", "a *", "(a)", "a #b"})
    EXPECT_FALSE(shell_words(command)) << command;
}

}  // namespace
}  // namespace regatta
