#include "sweep/read/named_file.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/json/text.hpp"

namespace regatta::sweep {

void need_name(const json::Cursor::Member& member) {
  if (json::is_name(member.key)) return;
  json::refuse(member.value.place, {fmt::format("the key {}", json::show(member.key)), json::name_rule, ""});
}

std::filesystem::path named_file(const json::Cursor& cursor, const std::string& name, const Sweep& sweep) {
  const std::filesystem::path folder = std::filesystem::absolute(sweep.file).parent_path();
  const std::filesystem::path path = (folder / name).lexically_normal();
  if (sweep.outside.any) return path;
  try {
    open_regular_file(path);
  } catch (const InputError& error) {
    cursor.refuse(fmt::format("a file that can be read ({})", error.what()));
  }
  return path;
}

}  // namespace regatta::sweep
