// The loader's options on a command line: of `load`, which measures it, and of `feed`, which hands its batches on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/array.hpp"
#include "regatta/data/formats.hpp"
#include "regatta/data/loader.hpp"

namespace regatta::worker {

template <class Number>
Number number_or(const Options& options, std::string_view name, Number fallback, Number least, Number most) {
  const std::string_view text = option(options, name).value_or("");
  if (text.empty()) return fallback;
  const auto number = number_in<Number>(text);
  if (number && *number >= least && *number <= most) return *number;
  std::ostringstream range;
  range << least << " to " << most;
  throw InputError("option " + std::string(name) + " has the value '" + std::string(text) + "' (a number from " +
                   range.str() + "); correct it");
}

/// The place of the option's value among `levels`; the first one is the default.
std::size_t level_of(const Options& options, std::string_view name, const std::vector<std::string_view>& levels);

/// The options that say how a table is read, of `pack`, `load` and `feed`.
inline constexpr std::string_view table_options[] = {"--csv-label",   "--csv-header",    "--csv-delimiter",
                                                     "--csv-decimal", "--csv-missing",   "--csv-columns",
                                                     "--csv-drop",    "--csv-categories"};

data::CsvOptions csv_options(const Options& options);

/// The arrays of --data and --labels, each with a name. Throws InputError.
std::vector<data::Array> read_arrays(const Options& options);

/// How they become batches; the first array alone is converted. Throws InputError.
data::LoaderOptions loader_options(const Options& options, std::size_t arrays);

/// --threads, --depth, --memory and --first-step, whatever the batches are made of. Throws InputError.
void set_supply(const Options& options, data::LoaderOptions& loader);

/// --batch and --seed. Throws InputError.
std::int64_t batch_of(const Options& options);
std::uint64_t seed_of(const Options& options);

}  // namespace regatta::worker
