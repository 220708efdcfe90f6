#include "commands/run_folder.hpp"

#include <fmt/format.h>

#include "regatta/base/error.hpp"

namespace regatta::launcher {

void expect_journal(const std::filesystem::path& folder, std::string_view does) {
  if (std::filesystem::exists(folder / "journal")) return;
  throw InputError(
      fmt::format("'{}' holds no journal ({} a folder NAME.regatta); name the folder that `regatta run` "
                  "printed",
                  folder.string(), does));
}

}  // namespace regatta::launcher
