// The problem of a command line in the form of all other errors: the problem, then what to do.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "commands/command_line.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/suggestion.hpp"

namespace regatta::launcher {
namespace {

using Names = std::vector<std::string>;

Names command_names(const CLI::App& app) {
  Names names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

Names option_names(const CLI::App& command) {
  Names names;
  for (const CLI::Option* option : command.get_options()) {
    const bool shown = option->nonpositional() && !option->get_group().empty();
    if (shown) names.push_back(option->get_name());
  }
  return names;
}

std::string did_you_mean(const std::string& near) {
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

/// The option that a longer or shorter word stands for: "--output" means "--out".
std::string option_by_beginning(const std::string& word, const Names& names) {
  constexpr std::size_t fewest_letters = 5;  // with the dashes
  for (const std::string& name : names) {
    const std::size_t both = std::min(word.size(), name.size());
    if (both >= fewest_letters && word.compare(0, both, name, 0, both) == 0) return name;
  }
  return {};
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  if (word.find(' ') != std::string::npos)
    return fmt::format("'{}' is one word; write the command without quotes: regatta {}", word, word);
  const std::string near = nearest_name(word, command_names(app));
  return fmt::format("there is no command '{}'{}", word,
                     near.empty() ? "; `regatta --help` lists the commands" : did_you_mean(near));
}

std::string unknown_argument(const CLI::App& command) {
  const std::string argument = command.remaining().front();
  const std::string word = argument.substr(0, argument.find('='));
  std::string near = option_by_beginning(word, option_names(command));
  if (near.empty()) near = nearest_name(word, option_names(command));
  const bool option = argument.starts_with("-");
  return fmt::format("{} {} '{}'{}", command.get_name(), option ? "has no option" : "takes no further argument",
                     argument, did_you_mean(option ? near : ""));
}

/// The words of the parser's library in plain ones.
std::string with_words(std::string text, std::string_view theirs, std::string_view ours) {
  const auto at = text.find(theirs);
  return at == std::string::npos ? text : text.replace(at, theirs.size(), ours);
}

}  // namespace

int help(const CLI::App& app, const std::string& name) {
  if (name.empty()) {
    // CLI::App::help() is that of the command that was parsed, which is this one.
    fmt::print("{}", app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return exit_code::done;
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() != name) continue;
    fmt::print("{}", command->help(app.get_name()));
    return exit_code::done;
  }
  throw InputError(unknown_command(app, name));
}

std::string usage_problem(const CommandLine& line, const CLI::ParseError& error) {
  const CLI::App& app = line.app;
  const std::vector<std::string>& argv = line.argv;
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    const auto word =
        std::find_if(argv.begin() + 1, argv.end(), [](const auto& each) { return !each.starts_with("-"); });
    if (word != argv.end()) return unknown_command(app, *word);
    if (argv.size() > 1)
      return fmt::format("there is no option '{}'{}", argv[1],
                         argv[1] == "-v" ? "; -V prints the version; `regatta --help` lists what there is"
                                         : "; `regatta --help` lists what there is");
    return fmt::format(
        "a command is missing; `regatta --help` lists them, `regatta init{}` writes a first sweep "
        "and says how to run it",
        line.examples.at("init"));
  }
  const CLI::App& command = *chosen.front();
  const std::string& name = command.get_name();
  std::string problem;
  if (!command.remaining().empty()) {
    problem = unknown_argument(command);
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::string text = error.what();
    problem = fmt::format("{}: {} is missing, as in `regatta {}{}`", name, text.substr(0, text.find(' ')), name,
                          line.examples.at(name));
  } else if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    problem = fmt::format("{}: {}", name, with_words(error.what(), " excludes ", " does not go together with "));
  } else if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
    problem = fmt::format("{}: {}", name, with_words(error.what(), " requires ", " needs "));
  } else {
    problem = fmt::format("{}: {}", name, with_words(error.what(), " not in {", " is none of {"));
  }
  return fmt::format("{}{}`regatta {} --help` shows what it takes", problem, problem.ends_with("?") ? " " : "; ", name);
}

}  // namespace regatta::launcher
