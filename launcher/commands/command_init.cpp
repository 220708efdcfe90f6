// `regatta init` and `regatta schema`: help for people and editors that write sweep files.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "os/split_command.hpp"
#include "regatta/base/clean.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/shell.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

constexpr std::string_view suffix = ".json";

struct InitOptions {
  std::string name;
  std::string model = {};    ///< a Python file; empty: named models
  std::string engine = {};   ///< the engine that runs the file; empty: chosen by the file's imports
  std::string command = {};  ///< the command line of a program, with {NAME} where a value comes; empty: none
  std::string loop = {};     ///< a Python file that counts its own steps; empty: none
};

[[noreturn]] void refuse_to_write(const std::string& file) {
  if (errno == EEXIST) {
    throw InputError(
        fmt::format("'{0}' is there already (somebody's work is not overwritten); choose another name, or "
                    "edit it: `regatta plan {1}` shows what it means",
                    file, shell_path(file)));
  }
  throw InputError(
      fmt::format("cannot write '{}': {}; run this in a folder that you may write to", file, std::strerror(errno)));
}

void write_new_file(const std::string& file, const std::string& text) {
  constexpr int readable_by_all = 0644;
  const UniqueFd opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all));
  if (!opened) refuse_to_write(file);
  if (::write(opened.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return;
  const int why = errno;
  ::unlink(file.c_str());
  errno = why;
  refuse_to_write(file);
}

std::string text_of(const InitOptions& options, const std::string& name) {
  if (!options.command.empty()) return sweep_of_command(name, options.command);
  if (!options.loop.empty()) return sweep_of_loop(name, options.loop, options.engine);
  return options.model.empty() ? sweep_to_edit(name) : sweep_of_model(name, options.model, options.engine);
}

/// Writes NAME.json into the working folder; 0, or InputError if it is there already.
int init(const InitOptions& options) {
  const std::string& word = options.name;
  const std::string name = word.ends_with(suffix) ? word.substr(0, word.size() - suffix.size()) : word;
  if (options.model.empty() && options.loop.empty() && !options.engine.empty())
    throw InputError("init: --engine is that of a model or loop; name the file too: --model my_model.py");
  const std::string text = text_of(options, name);
  const std::string file = name + std::string(suffix);
  write_new_file(file, text);
  if (const std::string hint = options.command.empty() ? "" : shell_hint(options.command); !hint.empty())
    log::warn(fmt::format("--command: {}", hint));
  fmt::print("{0} is a sweep to edit (docs/reference/sweep-file.md). Then:\n  regatta plan {1}\n  regatta run {1}\n",
             clean(file), shell_path(file));
  return exit_code::done;
}

}  // namespace

void add_init(CommandLine& line) {
  auto options = std::make_shared<InitOptions>();
  CLI::App* command = add_command(line, "init", "Write NAME.json, a sweep to edit", " first");
  command->add_option("NAME", options->name, "Of the sweep; a file that is there is left alone")
      ->required()
      ->option_text(" ");
  auto* model =
      command->add_option("--model", options->model, "Ask about this model of yours (docs/guide/your-model.md)")
          ->option_text("FILE.py");
  auto* of_loop = command->add_option("--loop", options->loop, "Ask about this training script of yours")
                      ->excludes(model)
                      ->option_text("FILE.py");
  command->add_option("--command", options->command, "Run this program; {n} is the value of an axis n")
      ->excludes(model)
      ->excludes(of_loop)
      ->option_text("'PROG {n}'");
  command->add_option("--engine", options->engine, "Of model or loop, where its imports do not tell")
      ->option_text("NAME");
  command->footer(
      "Examples\n"
      "  regatta init first                              named models on every engine\n"
      "  regatta init heat --command './heat --n={n}'    a program of yours\n"
      "  regatta init fit --loop train.py                a training script of yours\n"
      "  regatta init mine --model my_model.py           build and make_batch of yours");
  command->callback([&line, options] { line.chosen = [=] { return init(*options); }; });
}

void add_schema(CommandLine& line) {
  CLI::App* command = add_command(line, "schema", "JSON Schema of sweep files, for editors");
  command->callback([&line] {
    line.chosen = [] {
      fmt::print("{}", sweep::sweep_schema());
      return exit_code::done;
    };
  });
}

}  // namespace regatta::launcher
