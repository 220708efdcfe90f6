// A result file may be hostile, and the library that reads it crashes on some: a child process reads it, under limits
// (memory, time, files), and hands over columns. Its death is an error like another.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "regatta/base/clock.hpp"
#include "regatta/base/unique_fd.hpp"
#include "results/file/column_codec.hpp"

namespace regatta::results::hdf5 {

/// The limits for reading a file of some size.
struct ReadingLimits {
  std::uint64_t memory_bytes = 0;  ///< beyond what the process had when it began
  double seconds = 0;              ///< processor time, and the wait for one answer
  std::uint64_t rows = 0;          ///< in a column
};
ReadingLimits limits_of(std::uint64_t file_bytes);

class ReadingChild {
 public:
  /// The file is opened by the child. Throws InternalError if there can be no further process.
  ReadingChild(const std::filesystem::path& file, ReadingLimits limits);
  ReadingChild(const ReadingChild&) = delete;
  ReadingChild& operator=(const ReadingChild&) = delete;
  ~ReadingChild();

  /// Throws what the child met: InputError or Hdf5Error, without the name of the file.
  Answer ask(const Request& request);

  [[nodiscard]] pid_t process() const { return process_; }

 private:
  Answer next_answer(const Request& request, Deadline deadline);
  void send(std::string_view bytes, Deadline deadline);
  void fill(char* bytes, std::uint64_t count, Deadline deadline);
  void expect_time_left(Deadline deadline) const;
  [[noreturn]] void throw_death();

  ReadingLimits limits_;
  UniqueFd link_;
  pid_t process_ = -1;
  bool has_opened_ = false;
};

}  // namespace regatta::results::hdf5
