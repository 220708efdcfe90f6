#include "commands/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace regatta::launcher {
namespace {

/// The error message for `regatta WORDS`; "accepted" if nothing is wrong.
std::string problem(std::vector<std::string> words) {
  CLI::App app;
  words.insert(words.begin(), "regatta");
  CommandLine line{app, words};
  add_commands(line);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    app.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::ParseError& error) {
    return usage_problem(line, error);
  }
  return "accepted";
}

TEST(Usage, AsksForACommandThatThereIs) {
  EXPECT_EQ(problem({}),
            "a command is missing; `regatta --help` lists them, `regatta init first` writes a first sweep and "
            "says how to run it");
  EXPECT_EQ(problem({"rnu", "s.json"}), "there is no command 'rnu'; did you mean 'run'?");
  EXPECT_EQ(problem({"s.json"}), "there is no command 's.json'; `regatta --help` lists the commands");
}

TEST(Usage, KnowsNoOptionWithoutACommandButTheGeneralOnes) {
  EXPECT_EQ(problem({"-v"}), "there is no option '-v'; -V prints the version; `regatta --help` lists what there is");
  EXPECT_EQ(problem({"--verbose"}), "there is no option '--verbose'; `regatta --help` lists what there is");
}

TEST(Usage, HasHelpVersionCompletionAndManAsCommands) {
  for (const char* word : {"help", "version", "man"}) EXPECT_EQ(problem({word}), "accepted") << word;
  EXPECT_EQ(problem({"help", "run"}), "accepted");
  EXPECT_EQ(problem({"completion", "bash"}), "accepted");
  EXPECT_NE(problem({"completion", "tcsh"}), "accepted");
}

TEST(Usage, SaysInPlainWordsWhatDoesNotGoTogether) {
  EXPECT_THAT(problem({"run", "s.json", "--json-events", "--json-events-to", "x"}),
              testing::HasSubstr("does not go together with"));
  EXPECT_THAT(problem({"collect", "x", "--salvage", "-o", "y", "--set", "batch=1"}),
              testing::HasSubstr("--set needs --sweep"));
  EXPECT_EQ(problem({"completion"}), "accepted") << "the shell is that of the user";
}

TEST(Usage, InitTakesOneOfAModelALoopAndACommand) {
  EXPECT_EQ(problem({"init", "a", "--command", "./heat {n}"}), "accepted");
  EXPECT_NE(problem({"init", "a", "--command", "./heat {n}", "--loop", "l.py"}), "accepted");
}

TEST(Usage, ShowsWhatIsMissing) {
  EXPECT_EQ(problem({"run"}),
            "run: SWEEP is missing, as in `regatta run sweeps/quickstart.json`; `regatta run --help` shows what it "
            "takes");
  EXPECT_EQ(problem({"status"}),
            "status: FOLDER is missing, as in `regatta status results/NAME.regatta`; `regatta status --help` shows "
            "what it takes");
}

TEST(Usage, ShowsWhatIsMissingForEachCommandThatReadsResults) {
  const auto missing = [](const std::string& command, const std::string& what, const std::string& example) {
    return command + ": " + what + " is missing, as in `regatta " + command + " " + example + "`; `regatta " + command +
           " --help` shows what it takes";
  };
  EXPECT_EQ(problem({"query"}), missing("query", "FILE", "results/NAME.h5"));
  EXPECT_EQ(problem({"merge", "a.h5"}), missing("merge", "--output", "-o all.h5 a/NAME.h5 b/NAME.h5"));
  EXPECT_EQ(problem({"repro", "a.h5"}), missing("repro", "ID", "results/NAME.h5 ID"));
  EXPECT_EQ(problem({"collect"}), missing("collect", "FOLDER", "results/NAME.regatta"));
  EXPECT_THAT(problem({"collect", "x", "--salvage"}), testing::HasSubstr("--salvage needs --output"));
  EXPECT_THAT(problem({"collect", "x", "-o", "y"}), testing::HasSubstr("--output needs --salvage"));
}

TEST(Usage, TakesConditionsBeforeAndBehindColumns) {
  EXPECT_EQ(problem({"query", "x.h5", "a=1", "--columns", "a,b", "b=2", "--sort", "-a"}), "accepted");
  EXPECT_EQ(problem({"query", "--format", "csv", "x.h5", "--columns", "a", "b=2"}), "accepted");
  EXPECT_THAT(problem({"query", "x.h5", "--format", "xml"}), testing::HasSubstr("--format"));
}

TEST(Usage, NamesTheOptionThatWasMeant) {
  EXPECT_EQ(problem({"run", "s.json", "--rank=2"}),
            "run has no option '--rank=2'; did you mean '--ranks'? `regatta run --help` shows what it takes");
  EXPECT_EQ(problem({"run", "s.json", "--fancy"}),
            "run has no option '--fancy'; `regatta run --help` shows what it takes");
  EXPECT_EQ(problem({"run", "s.json", "t.json"}),
            "run takes no further argument 't.json'; `regatta run --help` shows what it takes");
}

TEST(Usage, NamesAnOptionWithAWrongValue) {
  EXPECT_THAT(problem({"run", "s.json", "--ranks", "two"}), testing::HasSubstr("--ranks"));
  EXPECT_THAT(problem({"run", "s.json", "--rerun", "all"}), testing::HasSubstr("--rerun"));
  EXPECT_EQ(problem({"run", "s.json", "--rerun", "undecided", "--for", "5m"}), "accepted");
  EXPECT_EQ(problem({"run", "s.json", "--ranks", "2", "--set", "batch=1,2", "--set", "mode=eager"}), "accepted");
}

TEST(Help, FitsATerminalOf80Columns) {
  CLI::App app;
  CommandLine line{app, {"regatta"}};
  add_commands(line);
  std::vector<const CLI::App*> pages = {&app};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) pages.push_back(command);
  EXPECT_GT(pages.size(), 5U);
  for (const CLI::App* page : pages) {
    std::istringstream lines(page->help());
    for (std::string text; std::getline(lines, text);) EXPECT_LE(text.size(), 80U) << text;
  }
}

}  // namespace
}  // namespace regatta::launcher
