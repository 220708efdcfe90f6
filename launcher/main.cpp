// regatta: parses the command line, calls the command, maps errors to exit codes.
#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <string>

#include "commands/command_line.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/stream.hpp"

namespace {

int guarded(const std::function<int()>& command) {
  try {
    return regatta::with_output(command);
  } catch (const regatta::InputError& error) {
    regatta::log::error(error.what());
    return regatta::exit_code::bad_input;
  } catch (const regatta::StorageError& error) {
    regatta::log::error(error.what());
    return regatta::exit_code::storage;
  } catch (const std::filesystem::filesystem_error& error) {  // a path that was given to us
    regatta::log::error(regatta::errno_text("cannot use '" + error.path1().string() + "'", error.code().value()));
    return regatta::exit_code::bad_input;
  } catch (const std::bad_alloc&) {
    regatta::log::error("out of memory; split the sweep, or raise the limit (ulimit -v)");
    return regatta::exit_code::our_mistake;
  } catch (const std::exception& error) {
    regatta::log::error(error.what());
    return regatta::exit_code::our_mistake;
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Above the limit of a process (ulimit -f) a write also raises a signal, which would end us without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  regatta::open_closed_streams();
  regatta::make_temporary_folders_absolute();
  CLI::App app("Measures machine-learning engines on your model, your data, your machine.", "regatta");
  regatta::launcher::CommandLine line{app, {argv, argv + argc}};
  regatta::launcher::add_commands(line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return guarded([&] { return app.exit(error); });  // --help and --version
    regatta::log::error(regatta::launcher::usage_problem(line, error));
    return regatta::exit_code::bad_input;
  }
  return guarded(line.chosen);
}
