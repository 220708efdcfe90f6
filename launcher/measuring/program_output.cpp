#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "measuring/measuring.hpp"
#include "regatta/base/unique_fd.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

/// A full disk must not fail a trial: its output is a help, not a result. An output of nothing leaves no file.
void write_end(const std::string& path, std::string_view text, std::uint64_t all_bytes) {
  if (text.empty()) return;
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  std::string written;
  if (all_bytes > text.size())
    written = fmt::format("[of {} the end and lines with JSON are here; \"output\": \"kept\" keeps up to 16 MiB]\n",
                          format_size(all_bytes));
  written += text;
  [[maybe_unused]] const auto done = ::write(file.get(), written.data(), written.size());
}

}  // namespace

OutputFiles output_files(const std::string& log_folder, const Hash128& trial) {
  const std::string path = fmt::format("{}/{}", log_folder, to_string(trial));
  return {path + ".out", path + ".err"};
}

void remove_output(const OutputFiles& files) {
  for (const std::string* path : {&files.printed, &files.complaints}) {
    std::error_code ignored;
    std::filesystem::remove(*path, ignored);
  }
}

void write_output(const OutputFiles& files, const protocol::Exited& exit) {
  remove_output(files);
  write_end(files.printed, exit.printed(), exit.printed_bytes);
  write_end(files.complaints, exit.complaints(), exit.complained_bytes);
}

}  // namespace regatta::launcher
