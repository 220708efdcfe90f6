#include <fmt/format.h>

#include <system_error>

#include "measuring/measuring.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::launcher {
namespace {

constexpr std::size_t name_digits = 12;  // from the block's hash

}  // namespace

std::filesystem::path work_folder(sweep::WorkFolder kind, const std::filesystem::path& run_folder, const Hash128& block,
                                  ArmIndex arm) {
  if (kind == sweep::WorkFolder::none) return {};
  const std::filesystem::path whole = std::filesystem::absolute(run_folder).lexically_normal();
  const std::string name = fmt::format("{}-{}", to_string(block).substr(0, name_digits), arm.value);
  if (kind == sweep::WorkFolder::removed) return whole / "work" / name;
  return whole.parent_path() / (whole.stem().string() + ".trials") / name;
}

void make_empty(const std::filesystem::path& folder) {
  std::error_code problem;
  remove_tree(folder, problem);
  if (!problem) std::filesystem::create_directories(folder, problem);
  if (problem)
    throw InputError(
        fmt::format("cannot empty the working folder {} ({}), so that a run would see what the one before it left; "
                    "remove what is in it",
                    folder.string(), problem.message()));
}

}  // namespace regatta::launcher
