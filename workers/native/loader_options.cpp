#include "loader_options.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "regatta/data/formats.hpp"

namespace regatta::worker {
namespace {

constexpr const char* memory_example = "64MiB";

data::Plan plan_of(const Options& options) {
  data::Plan plan;
  plan.batch = batch_of(options);
  plan.ranks = number_or<std::int64_t>(options, "--ranks", 1, 1, data::most_samples);
  plan.rank = number_or<std::int64_t>(options, "--rank", 0, 0, data::most_samples);
  plan.seed = seed_of(options);
  plan.tail = static_cast<data::Tail>(level_of(options, "--tail", {"drop", "keep", "pad"}));
  plan.shuffles = level_of(options, "--order", {"shuffled", "file"}) == 0;
  return plan;
}

/// The first array is converted, and mirrored, as asked; the others stay as they are.
data::FieldOptions first_field(const Options& options) {
  constexpr float largest = 1e30F;
  data::FieldOptions field;
  if (level_of(options, "--dtype", {"file", "float32"}) == 1) field.type = data::ElementType::float32;
  field.scale = number_or<float>(options, "--scale", 1, -largest, largest);
  field.shift = number_or<float>(options, "--shift", 0, -largest, largest);
  field.flips = level_of(options, "--flips", {"no", "yes"}) == 1;
  return field;
}

/// One character; "tab" is one, too.
std::optional<char> character_of(const Options& options, std::string_view name) {
  const auto text = option(options, name);
  if (!text) return std::nullopt;
  if (*text == "tab" || *text == "\\t") return '\t';
  if (text->size() != 1) throw InputError(std::string(name) + " needs one character, or tab");
  return text->front();
}

/// Texts between commas; none without the option, one empty text for an empty value.
std::vector<std::string> texts_of(const Options& options, std::string_view name) {
  std::vector<std::string> texts;
  auto rest = option(options, name);
  while (rest) {
    const std::size_t comma = rest->find(',');
    texts.emplace_back(rest->substr(0, comma));
    rest = comma == std::string_view::npos ? std::nullopt : std::optional(rest->substr(comma + 1));
  }
  return texts;
}

/// A file that brings its test part along is read for its training part.
std::vector<data::Array> without_test_part(const std::vector<data::Array>& arrays) {
  const data::NamedParts parts = data::named_parts(arrays);
  if (parts.test_x == nullptr || parts.x == nullptr) return arrays;
  if (parts.y == nullptr) return {*parts.x};
  return {*parts.x, *parts.y};
}

}  // namespace

data::CsvOptions csv_options(const Options& options) {
  data::CsvOptions csv;
  csv.label = option(options, "--csv-label").value_or("");
  if (const auto header = option(options, "--csv-header")) {
    if (*header != "yes" && *header != "no") throw InputError("--csv-header needs yes or no");
    csv.has_header = *header == "yes";
  }
  csv.delimiter = character_of(options, "--csv-delimiter");
  csv.decimal = character_of(options, "--csv-decimal");
  csv.missing = texts_of(options, "--csv-missing");
  csv.columns = texts_of(options, "--csv-columns");
  csv.drop = texts_of(options, "--csv-drop");
  csv.categories = texts_of(options, "--csv-categories");
  return csv;
}

std::size_t level_of(const Options& options, std::string_view name, const std::vector<std::string_view>& levels) {
  const std::string_view text = option(options, name).value_or(levels.front());
  const auto found = std::find(levels.begin(), levels.end(), text);
  if (found != levels.end()) return static_cast<std::size_t>(found - levels.begin());
  std::string known;
  for (const std::string_view level : levels) known += (known.empty() ? "" : ", ") + std::string(level);
  throw InputError("option " + std::string(name) + " has the value '" + std::string(text) + "' (it knows " + known +
                   "); correct it");
}

std::vector<data::Array> read_arrays(const Options& options) {
  const std::string_view path = option(options, "--data").value_or("");
  if (path.empty()) throw InputError("--data is missing (the file to read); see regatta-worker --help");
  data::OpenOptions open;
  open.csv = csv_options(options);
  if (const auto most = memory_of(options, memory_example)) open.memory_cap_bytes = *most;
  std::vector<data::Array> arrays = without_test_part(data::open_data_file(std::string(path), open));
  if (const auto labels = option(options, "--labels")) {
    for (data::Array& array : data::open_labels_file(std::string(*labels), open)) arrays.push_back(std::move(array));
  }
  for (data::Array& array : arrays)  // names for error messages
    if (array.name.empty()) array.name = &array == &arrays.front() ? path : options.at("--labels");
  return arrays;
}

data::LoaderOptions loader_options(const Options& options, std::size_t arrays) {
  data::LoaderOptions loader;
  loader.plan = plan_of(options);
  loader.fields.resize(arrays);
  loader.fields.front() = first_field(options);
  loader.is_headspace = level_of(options, "--source", {"files", "headspace"}) == 1;
  set_supply(options, loader);
  return loader;
}

void set_supply(const Options& options, data::LoaderOptions& loader) {
  loader.threads = number_or<int>(options, "--threads", 1, 0, data::most_loader_threads);
  loader.depth = number_or<std::int64_t>(options, "--depth", 0, 0, data::most_samples);
  loader.memory_bytes = memory_of(options, memory_example).value_or(loader.memory_bytes);
  loader.first_step = number_or<std::int64_t>(options, "--first-step", 0, 0, data::most_steps);
}

std::int64_t batch_of(const Options& options) {
  return number_or<std::int64_t>(options, "--batch", 32, 1, data::most_samples);
}

std::uint64_t seed_of(const Options& options) {
  return number_or<std::uint64_t>(options, "--seed", 0, 0, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace regatta::worker
