// The system calls by which the shipped code changes a disk, recorded as they are made. They are defined here and stand
// before those in the C library. While nothing is recorded they do the same, but for syncs: no test of this program
// cuts the power of the machine on which it runs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "disk_record.hpp"

namespace regatta::crashes {

/// Records, while it lives, everything that this process changes below a folder. One at a time, on one thread.
class Recording {
 public:
  /// `before` is what lies in the folder.
  Recording(std::filesystem::path folder, const Disk& before);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  /// From here on this is promised.
  void promise(std::size_t number);

  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }

  // Notes from the system calls.
  void opened(int fd, const std::string& path, int flags, bool is_new);
  void closed(int fd);
  void wrote(int fd, std::uint64_t offset, std::string bytes);
  void cut(int fd, std::uint64_t size);
  void synced(int fd);
  void made_folder(const std::string& path);
  void renamed(const std::string& from, const std::string& to);
  void removed(const std::string& path);

 private:
  struct Open {
    bool is_folder = false;
    std::string path;
    int file = 0;
  };
  /// Below the recorded folder; false for what lies elsewhere.
  bool inside(const std::string& path, std::string& relative) const;

  std::filesystem::path folder_;
  std::map<std::string, int> files_;  ///< by the paths that they have now
  int next_file_ = 1;
  std::map<int, Open> open_;
  std::vector<Operation> operations_;
};

/// Catches the text for stderr while it lives.
class CaughtErrors {
 public:
  CaughtErrors();
  CaughtErrors(const CaughtErrors&) = delete;
  CaughtErrors& operator=(const CaughtErrors&) = delete;
  ~CaughtErrors();
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace regatta::crashes
