#include "command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>

namespace regatta::launcher {
namespace {

/// What a person is told about `regatta WORDS`; "accepted" if nothing is wrong.
std::string problem(std::vector<std::string> words) {
  CLI::App app;
  std::function<int()> chosen;
  words.insert(words.begin(), "regatta");
  add_commands(app, chosen, words);
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    app.parse(static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::ParseError& error) {
    return usage_problem(app, error, words);
  }
  return "accepted";
}

TEST(Usage, AsksForACommandThatThereIs) {
  EXPECT_EQ(problem({}),
            "a command is missing; `regatta --help` lists them, `regatta run sweeps/quickstart.json` runs a first "
            "sweep");
  EXPECT_EQ(problem({"rnu", "s.json"}), "there is no command 'rnu'; did you mean 'run'?");
  EXPECT_EQ(problem({"s.json"}), "there is no command 's.json'; `regatta --help` lists the commands");
}

TEST(Usage, ShowsWhatIsMissing) {
  EXPECT_EQ(problem({"run"}),
            "run: SWEEP is missing, as in `regatta run sweeps/quickstart.json`; `regatta run --help` shows what it "
            "takes");
  EXPECT_EQ(problem({"status"}),
            "status: FOLDER is missing, as in `regatta status results/NAME.regatta`; `regatta status --help` shows "
            "what it takes");
}

TEST(Usage, NamesTheOptionThatWasMeant) {
  EXPECT_EQ(problem({"run", "s.json", "--rank=2"}),
            "run has no option '--rank=2'; did you mean '--ranks'? `regatta run --help` shows what it takes");
  EXPECT_EQ(problem({"run", "s.json", "--quick"}),
            "run has no option '--quick'; `regatta run --help` shows what it takes");
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
  std::function<int()> chosen;
  add_commands(app, chosen, {"regatta"});
  std::vector<const CLI::App*> pages = {&app};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) pages.push_back(command);
  EXPECT_GT(pages.size(), 5U);
  for (const CLI::App* page : pages) {
    std::istringstream lines(page->help());
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

}  // namespace
}  // namespace regatta::launcher
