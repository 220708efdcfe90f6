// Numbers that a program or a loop tells of its trial, such as a residual: by name, one for each run.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::sweep {

struct ToldNumber {
  double value = 0;  ///< may be no number, or infinite
  std::string unit = {};
  bool operator==(const ToldNumber&) const = default;
};

struct ProgramResult {
  std::string unit;                           ///< the unit of all values; empty: none
  std::vector<std::optional<double>> values;  ///< by run (of a loop: by process); nothing where it was not told
  bool operator==(const ProgramResult&) const = default;
};

/// By name.
using ProgramResults = std::map<std::string, ProgramResult>;

inline constexpr std::size_t most_results = 64;       ///< names; more are not kept
inline constexpr std::size_t most_result_runs = 500;  ///< runs whose numbers are kept
inline constexpr std::size_t most_unit_bytes = 32;

/// The same quantity in another unit: 900 ms are 0.9 s. Nothing where the units are not of one quantity, where they
/// have different zeros (K and degrees Celsius), and where one of them is not known. No unit converts to itself and to
/// "1" alone.
std::optional<double> converted(double value, std::string_view from, std::string_view to);

/// The same quantity without prefixes: seconds, bytes, bytes per second. A value in an unknown unit stays as it is.
double without_prefix(double value, std::string_view unit);

/// Whether ratios of them mean something: finite, and above 0.
bool are_comparable(std::span<const double> values);

/// One of each run; none where a run did not tell it, or told what has no ratio.
std::vector<double> comparable_values(const ProgramResults& results, const std::string& name);

/// Whether differences of them mean something.
bool are_finite(std::span<const double> values);

/// One of each run; none where a run did not tell it, or told no finite number.
std::vector<double> finite_values(const ProgramResults& results, const std::string& name);

/// Compiles the pattern by which a command finds a number in what its program prints or writes: ECMAScript's grammar
/// without back-references. A search takes time and stack within bounds, whatever the pattern and the text: a rank that
/// crashes or hangs would end the run. Throws InputError with what is expected in its place, and the reason.
std::regex result_pattern(const std::string& pattern);

/// The last number of a run wins. It is converted to the unit that other runs told. Throws InputError, naming both
/// units, where they are not of one quantity.
void note(ProgramResults& results, std::size_t run, const std::string& name, const ToldNumber& told);

/// How many runs there were, as far as their results say.
std::size_t runs_of(const ProgramResults& results);

/// Converts all its numbers to this unit; of numbers without a unit nothing is known. Throws InputError, naming both
/// units, where they are not of one quantity.
void convert_to(ProgramResult& result, const std::string& name, const std::string& unit);

/// The runs of `more` after those that are there. Throws InputError as note() does.
void append(ProgramResults& results, const ProgramResults& more);

/// {"residual":{"unit":"K","values":[1e-06,null,"nan","-inf"]}}: null where it was not told. Empty of none.
std::string results_json(const ProgramResults& results);

/// Reads results_json() back; of an empty text none. Throws InputError.
ProgramResults parse_results(std::string_view json);

/// "residual is NaN in 1 of 5 runs and missing in 2"; empty where every run told finite numbers.
std::string remarks_on(const ProgramResults& results);

}  // namespace regatta::sweep
