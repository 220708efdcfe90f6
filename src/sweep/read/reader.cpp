#include "regatta/sweep/reader.hpp"

#include <algorithm>
#include <utility>

#include "regatta/base/files.hpp"
#include "regatta/json/comments.hpp"
#include "sweep/read/own_axes.hpp"
#include "sweep/read/ranges.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

constexpr const char* version_rule = "1, the version of the sweep file's grammar";

void read_version(const json::Cursor& cursor) {
  const auto* version = cursor.node.as<std::int64_t>();
  if (version == nullptr || *version != 1) cursor.refuse(version_rule);
}

/// The axes, with what says how they are drawn and which go together. Returns the rules that hold for those of `when`,
/// too.
LevelRules read_grid(const json::Fields& fields, Sweep& sweep) {
  LevelRules rules;
  rules.may_be_random = true;
  const auto samples = fields.find("samples");
  if (samples) rules.samples = samples->integer(1, max_levels);
  if (const auto seed = fields.find("sample_seed")) {
    rules.sample_seed = seed->integer(0, info(Param::seed).maximum);
    if (!samples) seed->refuse("the key \"samples\" beside it, how many points to draw");
  }
  const auto zips = fields.find("zip");
  if (zips) read_zips(*zips, sweep);
  read_axes(fields.need("axes", "an object of axes"), rules, sweep);
  if (zips) check_zips(*zips, sweep);
  return rules;
}

bool has_drawn(const std::vector<Axis>& axes) { return std::ranges::any_of(axes, &Axis::is_drawn); }

/// After `when`: whether something is drawn so often.
void check_samples(const json::Fields& fields, const Sweep& sweep) {
  const auto samples = fields.find("samples");
  const bool draws =
      has_drawn(sweep.axes) || std::ranges::any_of(sweep.whens, [](const When& when) { return has_drawn(when.axes); });
  if (samples && !draws) samples->refuse("a random axis to draw, such as \"batch\": {\"uniform\": [1, 64]}");
}

/// Reads the sections. Names that a section uses are read before it, whatever the file's order.
void read_sections(const json::Cursor& root, Sweep& sweep) {
  const json::Fields fields(root, "an object", sweep_keys());
  read_version(fields.need("regatta", version_rule));
  sweep.name = fields.need("name", json::name_rule).name();
  read_training(fields, sweep);
  if (const auto repeats = fields.find("repeats")) sweep.repeats = repeats->integer(1, info(Param::repeat).maximum + 1);
  if (const auto environments = fields.find("environments")) read_environments(*environments, sweep);
  if (const auto commands = fields.find("commands")) read_commands(*commands, sweep);
  if (const auto datasets = fields.find("datasets")) read_datasets(*datasets, sweep);
  note_own_rows(root, sweep);
  const LevelRules rules = read_grid(fields, sweep);
  if (const auto whens = fields.find("when")) read_whens(*whens, rules, sweep);
  check_samples(fields, sweep);
  if (const auto includes = fields.find("include")) read_includes(*includes, sweep);
  check_own_axes(sweep);
  if (const auto excludes = fields.find("exclude")) read_excludes(*excludes, sweep);
  if (const auto compare = fields.find("compare")) read_compare(*compare, sweep);
  if (const auto measure = fields.find("measure")) read_measure(*measure, sweep.measure);
  if (const auto limits = fields.find("limits")) read_limits(*limits, sweep.limits);
  check_task(fields, sweep);
}

}  // namespace

const std::vector<std::string>& sweep_keys() {
  static const std::vector<std::string> keys = {"regatta",  "name",        "task",    "axes",      "zip",
                                                "samples",  "sample_seed", "when",    "include",   "exclude",
                                                "repeats",  "compare",     "measure", "limits",    "environments",
                                                "commands", "datasets",    "train",   "objective", "search"};
  return keys;
}

Sweep read_sweep(const std::filesystem::path& file, OutsideEnvironments outside) {
  return parse_sweep(read_file(file, json::max_bytes), file, std::move(outside));
}

bool is_sweep_name(const std::string& text) { return json::is_name(text); }

std::string sweep_name_rule() { return json::name_rule; }

OutsideEnvironments any_environment() {
  OutsideEnvironments outside;
  outside.any = true;
  return outside;
}

Sweep parse_sweep(const std::string& written, const std::filesystem::path& file, OutsideEnvironments outside) {
  const std::string text = json::without_comments(written);  // the recorded text is JSON for every reader
  Sweep sweep;
  sweep.outside = std::move(outside);
  sweep.file = file;
  json::Node root = json::parse(text, file.string());
  sweep.text = with_all_threads(text, root, sweep.outside.cores);
  if (sweep.text != text) root = json::parse(sweep.text, file.string());
  read_sections({root, {file.string(), root.line, ""}}, sweep);
  record_files(root, sweep);
  return sweep;
}

}  // namespace regatta::sweep
