// Results for other programs: rows of the result file, CSV, JSON lines, and a trace that timeline viewers open.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/analysis/contrast.hpp"
#include "regatta/report/report.hpp"
#include "regatta/results/table.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::report {

/// The contrasts as rows of the result file, each with its sentence.
std::vector<results::ContrastRow> contrast_rows(const results::Results& results, const analysis::Contrasts& contrasts);

/// Takes the next piece of a text that may be too long to be held at once.
using Sink = std::function<void(std::string_view)>;

/// A header and a line for each row (RFC 4180, lines end in a line feed). Numbers are written so that reading them
/// gives the same value; a missing value is empty.
void write_csv(const results::Table& table, const Sink& sink);

/// One object a line, with every column; a missing value is null.
void write_jsonl(const results::Table& table, const Sink& sink);

/// Chrome's trace event format (JSON), which Perfetto opens: a process for each slot, in it a track of blocks and one
/// of slices. Times are of the hosts' clocks, from the first block's start.
void write_trace(const results::Results& results, const Sink& sink);

/// Learning curves for TensorBoard: a folder for each run of each trial, in it one event file. Returns how many.
/// Throws InputError if nothing was trained, StorageError.
std::size_t write_tensorboard(const results::Results& results, const std::filesystem::path& folder);

/// {"name": ..., "columns": [{"name", "unit"}, ...], "rows": [{...}, ...]}; ends with a newline.
std::string json_table(const results::Table& table);

/// For a person: numbers with units, ids cut to what tells them apart, columns that do not fit left out from the right
/// and named below.
std::string terminal_table(const results::Table& table, const TerminalOptions& options);

}  // namespace regatta::report
