#include "shells/described.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

namespace regatta::launcher {
namespace {

struct OptionWords {
  std::vector<std::string> names;   ///< "-o", "--output"; those of a positional one are empty
  std::string place;                ///< name of a positional one: "SWEEP"
  std::string value;                ///< "FILE"; empty: a flag
  std::vector<std::string> values;  ///< the words that it takes, if these are all
  std::string what;
};

struct CommandWords {
  std::string name, what, footer;
  std::vector<OptionWords> options;
};

std::string trimmed(std::string text) {
  while (text.starts_with(' ')) text.erase(0, 1);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// "csv|jsonl" as words; what stands for something ("FILE|N") is none.
std::vector<std::string> words_of(std::string_view value) {
  std::vector<std::string> words;
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (value.find('|') == std::string_view::npos || std::ranges::any_of(value, is_upper)) return words;
  while (!value.empty()) {
    const auto end = std::min(value.find('|'), value.size());
    words.emplace_back(value.substr(0, end));
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return words;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (!option.nonpositional()) words.place = option.get_name();
  const bool takes_value = option.nonpositional() && option.get_items_expected_max() > 0;
  words.value =
      trimmed(option.get_option_text().empty() && takes_value ? option.get_type_name() : option.get_option_text());
  words.values = words_of(words.value);
  words.what = option.get_description();
  return words;
}

std::vector<OptionWords> options_of(const CLI::App& app) {
  std::vector<OptionWords> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) options.push_back(words_of(*option));
  }
  return options;
}

std::vector<CommandWords> commands_of(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back({command->get_name(), command->get_description(), command->get_footer(), options_of(*command)});
  return commands;
}

std::vector<std::string> names_of(const std::vector<OptionWords>& options) {
  std::vector<std::string> names;
  for (const OptionWords& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

/// The cases of a bash `case` that sets `words` for what stands before the cursor.
std::string cases_of_values(const CommandWords& command) {
  std::string cases;
  for (const OptionWords& option : command.options) {
    if (option.values.empty() || option.names.empty()) continue;
    cases += fmt::format("        {}) words='{}'; choice=1 ;;\n", fmt::join(option.names, "|"),
                         fmt::join(option.values, " "));
  }
  return cases;
}

/// The words of a positional argument that takes few, or the names of commands for `help`.
std::string positional_words(const CommandWords& command, const std::string& all_commands) {
  for (const OptionWords& option : command.options) {
    if (option.place == "COMMAND") return all_commands;
    if (!option.place.empty() && !option.values.empty()) return fmt::format("{}", fmt::join(option.values, " "));
  }
  return {};
}

std::string bash_script(const CLI::App& app) {
  const std::vector<CommandWords> commands = commands_of(app);
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  const std::string all = fmt::format("{}", fmt::join(names, " "));
  std::string cases;
  for (const CommandWords& command : commands) {
    cases += fmt::format("    {})\n      options='{}'\n      words='{}'\n", command.name,
                         fmt::join(names_of(command.options), " "), positional_words(command, all));
    if (const std::string values = cases_of_values(command); !values.empty())
      cases += fmt::format("      case $before in\n{}      esac\n", values);
    cases += "      ;;\n";
  }
  return fmt::format(R"(# Completion of regatta, written by `regatta completion`.
_regatta() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' words='' choice=''
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{} {}' -- "$word")
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ -n $choice || (-n $words && $word != -*) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _regatta regatta
)",
                     all, fmt::join(names_of(options_of(app)), " "), cases);
}

/// zsh reads bash's way of completing; it has no mapfile and no compopt.
std::string zsh_script(const CLI::App& app) {
  std::string script = "#compdef regatta\n# Completion of regatta, written by `regatta completion`.\n_regatta() {\n";
  script += "  local -a found\n  if ((CURRENT == 2)); then\n    found=(\n";
  const auto quoted = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) text.replace(at, 1, "'\\''");
    return "'" + text + "'";
  };
  const auto entry = [](const std::string& name, std::string what) {
    for (std::size_t at = 0; (at = what.find(':', at)) != std::string::npos; at += 2) what.insert(at, "\\");
    return name + ":" + what;
  };
  const std::vector<CommandWords> commands = commands_of(app);
  for (const CommandWords& command : commands)
    script += fmt::format("      {}\n", quoted(entry(command.name, command.what)));
  script += "    )\n    _describe command found\n    return\n  fi\n  case $words[2] in\n";
  for (const CommandWords& command : commands) {
    script += fmt::format("    {})\n      found=(\n", command.name);
    for (const OptionWords& option : command.options) {
      for (const std::string& name : option.names)
        script += fmt::format("        {}\n", quoted(entry(name, option.what)));
    }
    script += "      )\n";
    for (const OptionWords& option : command.options) {
      if (option.values.empty() || option.names.empty()) continue;
      script += fmt::format("      [[ $words[CURRENT-1] == ({}) ]] && compadd {} && return\n",
                            fmt::join(option.names, "|"), fmt::join(option.values, " "));
    }
    script += "      ;;\n";
  }
  script += "  esac\n  if [[ $PREFIX == -* ]]; then _describe option found; else _files; fi\n}\n";
  return script + "if [[ $funcstack[1] == _regatta ]]; then _regatta \"$@\"; else compdef _regatta regatta; fi\n";
}

std::string fish_script(const CLI::App& app) {
  std::string script = "# Completion of regatta, written by `regatta completion`.\n";
  const auto quoted = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return "'" + text + "'";
  };
  for (const CommandWords& command : commands_of(app)) {
    script += fmt::format("complete -c regatta -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          quoted(command.what));
    for (const OptionWords& option : command.options) {
      if (option.names.empty()) continue;
      script += fmt::format("complete -c regatta -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.values.empty())
        script += fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
      else if (!option.value.empty())
        script += " -r";
      script += fmt::format(" -d {}\n", quoted(option.what));
    }
  }
  return script;
}

/// Text as troff prints it.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
      continue;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

/// Lines that are printed as they stand.
std::string troff_lines(std::string_view text) {
  std::string out = ".PP\n.nf\n";
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out += troff(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + ".fi\n";
}

std::string troff_options(const std::vector<OptionWords>& options) {
  std::string out;
  for (const OptionWords& option : options) {
    std::string head;
    for (const std::string& name : option.names)
      head += fmt::format("{}\\fB{}\\fR", head.empty() ? "" : ", ", troff(name));
    if (option.names.empty()) head = fmt::format("\\fI{}\\fR", troff(option.place));
    if (!option.value.empty()) head += fmt::format(" \\fI{}\\fR", troff(option.value));
    out += fmt::format(".TP\n{}\n{}\n", head, troff(option.what));
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  return shell == "zsh" ? zsh_script(app) : fish_script(app);
}

std::string manual_page(const CLI::App& app, const std::string& version) {
  std::string page = fmt::format(
      ".TH REGATTA 1 \"\" \"regatta {}\" \"User commands\"\n.SH NAME\nregatta \\- {}\n"
      ".SH SYNOPSIS\n\\fBregatta\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ...]\n.SH OPTIONS\n{}.SH COMMANDS\n",
      version, troff(app.get_description()), troff_options(options_of(app)));
  for (const CommandWords& command : commands_of(app)) {
    page += fmt::format(".SS regatta {}\n{}.\n{}", troff(command.name), troff(command.what),
                        troff_options(command.options));
    if (!command.footer.empty()) page += troff_lines(command.footer);
  }
  return page;
}

}  // namespace regatta::launcher
