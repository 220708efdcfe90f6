// The layout that writer and reader of NAME.h5 must agree on (docs/reference/results.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/stats/flags.hpp"
#include "results/file/column_requests.hpp"
#include "results/file/handles.hpp"

namespace regatta::results::hdf5 {

inline constexpr const char* format_name = "regatta-results";
inline constexpr std::int64_t format_major = 2;  ///< a reader refuses another one
inline constexpr std::int64_t format_minor = 0;  ///< grows with columns that older readers may ignore

/// Positions in these lists are the values of the flag variables.
inline const std::vector<std::string> status_names{sweep::status_names.begin(), sweep::status_names.end()};
inline const std::vector<std::string> verified_names{sweep::verified_names.begin(), sweep::verified_names.end()};
inline const std::vector<std::string> phase_names{stats::phase_names.begin(), stats::phase_names.end()};
inline const std::vector<std::string> yes_no_names = {"no", "yes"};

/// "none", then every kind of failure.
std::vector<std::string> failure_names();
/// "none", then every kind of failure, then every kind of skip.
std::vector<std::string> cause_names();

/// An integer parameter that is not read.
inline constexpr std::int64_t null_integer = INT64_MIN;

void write_tables(const File& file, const Results& results);  ///< all but the cubes
void write_trials(const File& file, const Results& results);
void write_interventions(const File& file, const Results& results);
void write_legs(const File& file, const Results& results);
void write_sessions(const File& file, const Results& results);
void write_cubes(const File& file, const Results& results);

/// Fills interventions and their samples.
void read_interventions(const Ask& ask, Results& results);

/// Fills legs with their curves; files of benchmarks have none.
void read_legs(const Ask& ask, Results& results);

/// Fills sessions.
void read_sessions(const Ask& ask, Results& results);

/// The flags that a column names. Throws InputError.
stats::Flags flags_in(const std::string& text);

/// An outcome from its columns; `text` is the message or reason. Throws InputError.
sweep::Outcome outcome_of(std::int64_t status, std::int64_t cause, const std::string& text);

/// Throws Hdf5Error or InputError, without the name of the file.
Results read_tables(const Ask& ask);

}  // namespace regatta::results::hdf5
