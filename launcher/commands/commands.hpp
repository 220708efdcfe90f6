// Every command of `regatta`: adds its options to the parser and says what runs if it is chosen. The function that runs
// returns the exit code of the process: 0 all done, 1 some trials failed, 2 bad input (thrown as InputError) or nothing
// to train, 74 journal I/O (StorageError), 75 work left.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::launcher {

struct CommandLine;

void add_bench(CommandLine& line);
void add_collect(CommandLine& line);
void add_compare(CommandLine& line);
void add_completion(CommandLine& line);
void add_doctor(CommandLine& line);
void add_duel(CommandLine& line);
void add_help(CommandLine& line);
void add_init(CommandLine& line);
void add_man(CommandLine& line);
void add_merge(CommandLine& line);
void add_plan(CommandLine& line);
void add_query(CommandLine& line);
void add_report(CommandLine& line);
void add_repro(CommandLine& line);
void add_run(CommandLine& line);
void add_schema(CommandLine& line);
void add_status(CommandLine& line);
void add_version(CommandLine& line);

/// `regatta plan`, which `regatta run --dry-run` is, too.
int plan(const JobOptions& options, bool json);

// init_model.cpp: `regatta init NAME --model FILE`: a sweep that asks the questions of docs/questions about
// somebody's own model.

/// The file's name as an environment, command or model may have it; `otherwise` where it has none.
std::string plain_name(const std::string& path, const std::string& otherwise);

/// As JSON.
std::string in_quotes(const std::string& text);

/// The engine of a model file, by what its lines import; nothing if that is not one framework.
std::optional<std::string> engine_of_source(std::string_view source);

/// The text of a sweep of this name over the model that `build` and `make_batch` of `file` make. `engine`: empty means
/// by what the file imports. Throws InputError for a file that cannot be read, lacks a function or an engine.
std::string sweep_of_model(const std::string& name, const std::string& file, const std::string& engine);

// init_sweep.cpp: Texts of sweeps for people to edit.

/// The text of a sweep of this name to begin with. Throws InputError for a name that no sweep can have.
std::string sweep_to_edit(const std::string& name);

/// The same of a program, whose {NAME}s are axes with values to edit.
std::string sweep_of_command(const std::string& name, const std::string& command);

/// The same of a training script with `regatta.steps()` in it; `engine` may be empty.
std::string sweep_of_loop(const std::string& name, const std::string& file, const std::string& engine);

// kept_weights.cpp: The best weights of trainings, which "keep_weights" leaves beside their results.

/// Writes the best weights of the runs that these rows of the table legs belong to, each once, as safetensors under
/// names that say which run it is; how many. `folder`: that of the run. Throws InputError if there are none.
std::size_t write_kept_weights(const results::Results& results, const std::vector<std::size_t>& legs,
                               const std::filesystem::path& folder, const std::filesystem::path& out);

// lone_trial.cpp: A sweep of one trial, made from the sweep that the trial came from.

/// The text of a sweep file: the same environments, commands, limits and measuring, one level for each parameter that
/// the trial reads, nothing compared and nothing explained. Throws InputError if a model that it writes out is not in
/// `sweep_json`, or if that is no JSON.
std::string lone_sweep(const std::string& sweep_json, const sweep::Parameters& trial);

// run_folder.cpp: The folder NAME.regatta that a command is given.

/// Throws InputError if the folder holds no journal. `does` is what the command does with one: "status reads".
void expect_journal(const std::filesystem::path& folder, std::string_view does);

/// The folder that somebody names: NAME.regatta itself, or the file of results or page beside it. Throws InputError as
/// expect_journal does.
std::filesystem::path run_folder(const std::filesystem::path& named, std::string_view does);

/// Throws InputError, with what to do, if there is no such file because its run was stopped.
void expect_results(const std::filesystem::path& file);

/// Whether its run has recorded more since it was written, which is said.
bool warn_if_outdated(const std::filesystem::path& file);

}  // namespace regatta::launcher
