// The folder of a command's own in which a trial of it runs.
#pragma once

#include <filesystem>

#include "regatta/base/digest.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::launcher {

/// Where the arm of a block runs: NAME.trials/BLOCK-ARM beside `run_folder`, which is NAME.regatta, if it is kept; else
/// NAME.regatta/work/BLOCK-ARM. A whole path; empty if the command wants none.
std::filesystem::path work_folder(sweep::WorkFolder kind, const std::filesystem::path& run_folder, const Hash128& block,
                                  ArmIndex arm);

/// Makes it, or empties it. Throws InputError if the file system refuses.
void make_empty(const std::filesystem::path& folder);

}  // namespace regatta::launcher
