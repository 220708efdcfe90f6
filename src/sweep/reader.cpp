#include "regatta/sweep/reader.hpp"

#include <utility>

#include "regatta/base/files.hpp"
#include "sweep/sections.hpp"
#include "sweep/user_models.hpp"

namespace regatta::sweep {
namespace {

void read_task(const Cursor& cursor) {
  if (cursor.choice({"benchmark", "train"}) == "train")
    cursor.refuse("\"benchmark\" (training sweeps are not built yet)");
}

void read_version(const Cursor& cursor) {
  const auto* version = cursor.node.as<std::int64_t>();
  if (version == nullptr || *version != 1) cursor.refuse("1, the version of the sweep file's grammar");
}

/// What a section names must be known before it is read, whatever the file's order.
void read_sections(const Fields& fields, Sweep& sweep) {
  read_version(fields.need("regatta", "1, the version of the sweep file's grammar"));
  sweep.name = fields.need("name", name_rule).name();
  if (const auto task = fields.find("task")) read_task(*task);
  if (const auto repeats = fields.find("repeats")) sweep.repeats = repeats->integer(1, info(Param::repeat).maximum + 1);
  if (const auto environments = fields.find("environments")) read_environments(*environments, sweep);
  if (const auto commands = fields.find("commands")) read_commands(*commands, sweep);
  read_axes(fields.need("axes", "an object of axes"), sweep);
  if (const auto excludes = fields.find("exclude")) read_excludes(*excludes, sweep);
  if (const auto compare = fields.find("compare")) read_compare(*compare, sweep);
  if (const auto measure = fields.find("measure")) read_measure(*measure, sweep.measure);
  if (const auto limits = fields.find("limits")) read_limits(*limits, sweep.limits);
}

}  // namespace

Sweep read_sweep(const std::filesystem::path& file, OutsideEnvironments outside) {
  return parse_sweep(read_file(file, max_json_bytes), file, std::move(outside));
}

OutsideEnvironments any_environment() {
  OutsideEnvironments outside;
  outside.any = true;
  return outside;
}

Sweep parse_sweep(const std::string& text, const std::filesystem::path& file, OutsideEnvironments outside) {
  Sweep sweep;
  sweep.outside = std::move(outside);
  sweep.file = file;
  sweep.text = text;
  const JsonNode root = parse_json(text, file.string());
  const Fields fields({root, {file.string(), root.line, ""}}, "an object",
                      {"regatta", "name", "task", "axes", "exclude", "repeats", "compare", "measure", "limits",
                       "environments", "commands"});
  read_sections(fields, sweep);
  record_sources(root, sweep);
  return sweep;
}

}  // namespace regatta::sweep
