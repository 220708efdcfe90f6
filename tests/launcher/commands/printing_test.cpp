#include "commands/printing.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace regatta::launcher {
namespace {

/// The text that `print` writes to stdout.
template <class Print>
std::string printed(Print print) {
  ::testing::internal::CaptureStdout();
  print();
  return ::testing::internal::GetCapturedStdout();
}

TEST(Printing, AnOutcomeIsOneLineThatIsSafeToPrint) {
  EXPECT_EQ(outcome_text(sweep::Finished{}), "finished");
  EXPECT_EQ(outcome_text(sweep::Skipped{"no such mode"}), "skipped: no such mode");
  EXPECT_EQ(outcome_text(sweep::Failed{sweep::FailureKind::reported, "out\nof \x1b[2Jluck"}),
            "failed: reported: out of \ufffd[2Jluck");
}

TEST(Printing, LinesAreAsWideAsTheTerminalAndSafeToPrint) {
  const std::string text = printed([] {
    std::string words;
    for (int i = 0; i < 100; ++i) words += "word ";
    print_wrapped(words + "\x1b[2J", 2);
  });
  EXPECT_EQ(text.find("  word word "), 0U);
  EXPECT_NE(text.find("word\n  word"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\ufffd[2J\n")) << text;
}

TEST(Printing, ADocumentIsValidWhateverATextHolds) {
  EXPECT_EQ(printed([] { print_document({{"reason", "a\xff"}}); }), "{\n \"reason\": \"a\ufffd\"\n}\n");
}

TEST(Printing, HelpIsAsWideAsItMayBe) {
  const std::string text = "Usage: a\n  --name                  Says what it is of and more\n";
  EXPECT_EQ(wrapped_help(text, 80, 26), text);
  EXPECT_EQ(wrapped_help(text, 48, 26),
            "Usage: a\n  --name                  Says what it is of and\n                          more\n");
  EXPECT_EQ(wrapped_help("a-word-that-is-too-long b\n", 10, 26), "a-word-that-is-too-long b\n");
}

TEST(Printing, CountsInTheSingularToo) {
  EXPECT_EQ(counted(1, "trial"), "1 trial");
  EXPECT_EQ(counted(0, "trial"), "0 trials");
}

TEST(Printing, WhoAsksATrainingForContrastsIsToldWhereItsResultsAre) {
  results::Results results;
  EXPECT_FALSE(tell_other_tables(results, "contrasts")) << "a benchmark";
  results.legs.emplace_back();
  EXPECT_FALSE(tell_other_tables(results, "trials"));
  ::testing::internal::CaptureStderr();
  for (const char* const asked : {"contrasts", "samples", "trace"}) EXPECT_TRUE(tell_other_tables(results, asked));
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("a training has no samples. Its runs are in the tables `legs` and `curves`"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace regatta::launcher
