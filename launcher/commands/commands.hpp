// Every command of `regatta`: adds its options to the parser and says what runs if it is chosen. What runs returns the
// exit code of the process: 0 all done, 1 some trials failed, 2 bad input (thrown as InputError) or nothing to train,
// 74 journal I/O (StorageError), 75 work left.
#pragma once

#include "job/job.hpp"

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

}  // namespace regatta::launcher
