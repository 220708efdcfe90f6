#include "shells/described.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Described : public ::testing::Test {
 protected:
  Described() : app_("Measures things.", "regatta") {
    CLI::App* command = app_.add_subcommand("export", "It's a file: as text");
    command->add_option("FILE", file_, "What to read")->required();
    command->add_option("--format", format_, "What to write")->option_text("csv|jsonl");
    command->add_option("-o,--output", out_, "Where to")->type_name("FILE");
    command->add_flag("--hidden", flag_)->group("");
    command->footer("Examples\n  regatta export a.h5");
  }

  CLI::App app_;
  std::string file_, format_, out_;
  bool flag_ = false;
};

TEST_F(Described, CompletionsKnowCommandsOptionsAndTheWordsThatTheseTake) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(app_, shell);
    for (const char* word : {"export", "format", "output", "csv", "jsonl"})
      EXPECT_THAT(script, HasSubstr(word)) << shell;
    EXPECT_THAT(script, Not(HasSubstr("hidden"))) << shell;
  }
}

TEST_F(Described, TheManualPageHasEveryCommandWithItsOptionsAndExamples) {
  const std::string page = manual_page(app_, "1.2.3");
  EXPECT_THAT(page, HasSubstr(".TH REGATTA 1 \"\" \"regatta 1.2.3\""));
  EXPECT_THAT(page, HasSubstr(".SS regatta export\nIt's a file: as text.\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nWhere to\n"));
  EXPECT_THAT(page, HasSubstr("\\fIFILE\\fR\nWhat to read\n"));
  EXPECT_THAT(page, HasSubstr("  regatta export a.h5\n.fi"));
  EXPECT_THAT(page, Not(HasSubstr("hidden")));
}

}  // namespace
}  // namespace regatta::launcher
