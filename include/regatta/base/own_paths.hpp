// Where this program runs, where its own files are, and where it may remember things of this user.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace regatta {

/// The name of this host, as the kernel tells it.
std::string host_name();

/// The folder of the running executable.
std::filesystem::path executable_folder();

/// The build of this program that runs, by version, size and date: another build of the same version may do other
/// things. Empty if that cannot be told.
std::string running_build();

/// share/regatta beside the executable's folder.
std::filesystem::path share_folder();

/// The shared object that serves a device to the worker in this folder.
std::filesystem::path plugin_file(const std::filesystem::path& folder, std::string_view device);

/// Makes a relative TMPDIR (and TMP, TEMP, TEMPDIR) that names a folder absolute, for this process and for those that
/// it starts: programs have working folders of their own, and Open MPI takes no relative one. To be called before there
/// are threads.
void make_temporary_folders_absolute();

/// ${XDG_CACHE_HOME:-~/.cache}/regatta; empty if neither is set.
std::filesystem::path user_cache_folder();

}  // namespace regatta
