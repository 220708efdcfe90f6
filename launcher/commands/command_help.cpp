// Commands about the commands: help, version, completion, man.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/version.hpp"
#include "shells/described.hpp"

namespace regatta::launcher {
namespace {

/// "bash" of /usr/bin/bash.
std::string shell_of_user() {
  const char* named = std::getenv("SHELL");
  const std::string shell = named == nullptr ? "" : std::filesystem::path(named).filename().string();
  if (shell == "bash" || shell == "zsh" || shell == "fish") return shell;
  throw InputError(fmt::format(
      "completion: for which shell? SHELL {}; say it, as in `regatta completion bash` (or zsh, fish), and read what it "
      "prints: source <(regatta completion bash)",
      shell.empty() ? "is not set" : "is " + shell + ", for which there is none"));
}

}  // namespace

void add_help(CommandLine& line) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = add_command(line, "help", "Help on a command");
  command->add_option("COMMAND", *name, "One of them; left out: the list of all")->option_text(" ");
  command->callback([&line, name] { line.chosen = [&line, name] { return help(line.app, *name); }; });
}

void add_version(CommandLine& line) {
  CLI::App* command = add_command(line, "version", "Print the version; also -V");
  command->callback([&line] {
    line.chosen = [] {
      fmt::print("regatta {}\n", regatta_version());
      return exit_code::done;
    };
  });
}

void add_completion(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = add_command(line, "completion", "Completion of these commands, for a shell");
  command->add_option("SHELL", *shell, "Which one; left out: that of $SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->option_text("bash|zsh|fish");
  command->footer(
      "Examples\n"
      "  source <(regatta completion bash)        for this shell; in ~/.bashrc for all\n"
      "  regatta completion zsh > ~/.zfunc/_regatta\n"
      "  regatta completion fish > ~/.config/fish/completions/regatta.fish");
  command->callback([&line, shell] {
    line.chosen = [&line, shell] {
      fmt::print("{}", completion_script(line.app, shell->empty() ? shell_of_user() : *shell));
      return exit_code::done;
    };
  });
}

void add_man(CommandLine& line) {
  CLI::App* command = add_command(line, "man", "The manual page of all commands, as troff");
  command->footer("Example\n  regatta man > regatta.1; man ./regatta.1");
  command->callback([&line] {
    line.chosen = [&line] {
      fmt::print("{}", manual_page(line.app, regatta_version()));
      return exit_code::done;
    };
  });
}

}  // namespace regatta::launcher
