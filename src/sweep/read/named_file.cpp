#include <fmt/format.h>

#include "regatta/base/data_path.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/json/text.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {

void need_name(const json::Cursor::Member& member) {
  if (json::is_name(member.key)) return;
  json::refuse(member.value.place, {fmt::format("the key {}", json::show(member.key)), json::name_rule, ""});
}

namespace {

std::filesystem::path beside(const Sweep& sweep, const std::string& name) {
  return (std::filesystem::absolute(sweep.file).parent_path() / name).lexically_normal();
}

}  // namespace

std::filesystem::path named_file(const json::Cursor& cursor, const std::string& name, const Sweep& sweep) {
  const std::filesystem::path path = beside(sweep, name);
  if (sweep.outside.any) return path;
  try {
    open_regular_file(path);
  } catch (const InputError& error) {
    cursor.refuse(fmt::format("a file that can be read ({})", error.what()));
  }
  return path;
}

std::filesystem::path named_data(const json::Cursor& cursor, const std::string& name, const Sweep& sweep) {
  const std::filesystem::path path = beside(sweep, name);
  if (std::filesystem::is_directory(path)) return path;
  const DataPath parts = split_data_path(path.string());
  const std::filesystem::path file = named_file(cursor, parts.file, sweep);
  return parts.dataset.empty() ? file : std::filesystem::path(file.string() + ":" + parts.dataset);
}

}  // namespace regatta::sweep
