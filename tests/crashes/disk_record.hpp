// The requests of a run to a disk, in order, and the states that the disk may have if the power fails at any point.
//
// Until a file was synced, each of its writes may have reached the disk or not, sector by sector and in any order. Its
// size may run ahead of its data. Until a folder was synced, each new, renamed and removed entry in it may be there or
// not. Synced writes and entries stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace regatta::crashes {

/// The bytes that a disk writes whole or not at all.
inline constexpr std::uint64_t sector_bytes = 512;

struct Operation {
  enum class Kind : std::uint8_t {
    make_folder,
    make_file,
    write,
    cut,
    rename,
    remove,
    sync_file,
    sync_folder,
    promise  ///< no operation: from here on the system has promised that something is durable
  };
  Kind kind;
  std::string path = {};     ///< an entry's, or that of the folder that is synced
  std::string to = {};       ///< where a rename leads
  int file = 0;              ///< the file that is made, written, cut or synced
  std::uint64_t offset = 0;  ///< a write's; the size that a cut leaves
  std::string bytes = {};
  std::size_t promise = 0;  ///< its number
};

/// The contents of a disk: folders, and files by their paths below the recorded folder.
struct Disk {
  struct Entry {
    bool is_folder = false;
    int file = 0;
    auto operator<=>(const Entry&) const = default;
  };
  std::map<std::string, Entry> entries;
  std::map<int, std::string> files;

  /// Entries whose folders are all there, and their contents: what somebody finds who looks.
  [[nodiscard]] std::map<std::string, std::string> seen() const;
  /// The contents of a file; "" if it is not there.
  [[nodiscard]] std::string at(const std::string& path) const;
  [[nodiscard]] bool has(const std::string& path) const { return seen().contains(path); }
  /// Makes the same below a folder that is empty.
  void put_into(const std::filesystem::path& folder) const;

  void apply(const Operation& operation);
};

/// Something that may have happened on the disk, or not: an entry, a cut, a sector of a write, a size without its data.
struct Chance {
  const Operation* operation = nullptr;
  std::uint64_t begin = 0;  ///< where the sector begins in the bytes of the write
  std::uint64_t end = 0;
  bool size_only = false;
};

/// A point in time at which the power fails.
class Crash {
 public:
  /// Behind the first `done` operations on a disk that held `before`. Both outlive this.
  Crash(const Disk& before, const std::vector<Operation>& operations, std::size_t done);

  [[nodiscard]] const std::vector<Chance>& chances() const { return chances_; }
  /// The first chance of each unsynced operation, and the number of chances behind the last one.
  [[nodiscard]] const std::vector<std::size_t>& groups() const { return groups_; }
  /// The contents of the disk if these chances happened.
  [[nodiscard]] Disk state(const std::vector<bool>& happened) const;

 private:
  Disk settled_;
  std::vector<Chance> chances_;
  std::vector<std::size_t> groups_;
};

/// The contents that the process itself sees behind these operations, as does a later process without a loss of power.
Disk all_done(const Disk& before, const std::vector<Operation>& operations, std::size_t done);

}  // namespace regatta::crashes
