#include "disk_record.hpp"

#include <algorithm>
#include <fstream>
#include <set>

namespace regatta::crashes {
namespace {

using Kind = Operation::Kind;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_of_data(const Operation& operation) { return operation.kind == Kind::write || operation.kind == Kind::cut; }

bool is_of_entries(const Operation& operation) {
  return operation.kind == Kind::make_folder || operation.kind == Kind::make_file || operation.kind == Kind::rename ||
         operation.kind == Kind::remove;
}

void put(std::string& file, std::uint64_t offset, std::string_view bytes) {
  if (file.size() < offset + bytes.size()) file.resize(offset + bytes.size(), '\0');
  file.replace(offset, bytes.size(), bytes);
}

}  // namespace

std::map<std::string, std::string> Disk::seen() const {
  std::map<std::string, std::string> found;
  std::set<std::string> folders = {""};
  for (const auto& [path, entry] : entries) {  // a folder sorts before what lies in it
    if (!folders.contains(folder_of(path))) continue;
    if (entry.is_folder) folders.insert(path);
    const auto file = files.find(entry.file);
    found[path] = entry.is_folder ? "/" : file == files.end() ? "" : file->second;
  }
  return found;
}

std::string Disk::at(const std::string& path) const {
  const auto found = seen();
  const auto file = found.find(path);
  return file == found.end() ? "" : file->second;
}

void Disk::put_into(const std::filesystem::path& folder) const {
  for (const auto& [path, bytes] : seen()) {
    if (entries.at(path).is_folder) {
      std::filesystem::create_directory(folder / path);
      std::filesystem::permissions(folder / path, std::filesystem::perms::owner_all);
    } else {
      std::ofstream(folder / path, std::ios::binary) << bytes;
    }
  }
}

void Disk::apply(const Operation& operation) {
  switch (operation.kind) {
    case Kind::make_folder:
      entries[operation.path] = {true, 0};
      break;
    case Kind::make_file:
      entries[operation.path] = {false, operation.file};
      break;
    case Kind::write:
      put(files[operation.file], operation.offset, operation.bytes);
      break;
    case Kind::cut:
      files[operation.file].resize(operation.offset, '\0');
      break;
    case Kind::rename:
      entries.erase(operation.path);
      entries[operation.to] = {false, operation.file};
      break;
    case Kind::remove:
      entries.erase(operation.path);
      break;
    case Kind::sync_file:
    case Kind::sync_folder:
    case Kind::promise:
      break;
  }
}

Crash::Crash(const Disk& before, const std::vector<Operation>& operations, std::size_t done) : settled_(before) {
  std::map<int, std::size_t> files_synced;
  std::map<std::string, std::size_t> folders_synced;
  for (std::size_t at = 0; at < done; ++at) {
    if (operations[at].kind == Kind::sync_file) files_synced[operations[at].file] = at;
    if (operations[at].kind == Kind::sync_folder) folders_synced[operations[at].path] = at;
  }
  const auto is_settled = [&](std::size_t at) {
    const Operation& operation = operations[at];
    if (is_of_data(operation)) {
      const auto synced = files_synced.find(operation.file);
      return synced != files_synced.end() && synced->second > at;
    }
    const auto synced = folders_synced.find(folder_of(operation.path));
    return synced != folders_synced.end() && synced->second > at;
  };
  for (std::size_t at = 0; at < done; ++at) {
    const Operation& operation = operations[at];
    if (!is_of_data(operation) && !is_of_entries(operation)) continue;
    if (is_settled(at)) {
      settled_.apply(operation);
      continue;
    }
    groups_.push_back(chances_.size());
    if (operation.kind != Kind::write) {
      chances_.push_back({&operation});
      continue;
    }
    for (std::uint64_t begin = 0; begin < operation.bytes.size();) {
      const std::uint64_t room = sector_bytes - (operation.offset + begin) % sector_bytes;
      const std::uint64_t end = std::min<std::uint64_t>(begin + room, operation.bytes.size());
      chances_.push_back({&operation, begin, end});
      begin = end;
    }
    chances_.push_back({&operation, 0, 0, true});
  }
  groups_.push_back(chances_.size());
}

Disk Crash::state(const std::vector<bool>& happened) const {
  Disk disk = settled_;
  for (std::size_t at = 0; at < chances_.size(); ++at) {
    if (!happened[at]) continue;
    const Chance& chance = chances_[at];
    const Operation& operation = *chance.operation;
    if (operation.kind != Kind::write) {
      disk.apply(operation);
    } else if (chance.size_only) {
      std::string& file = disk.files[operation.file];
      file.resize(std::max<std::size_t>(file.size(), operation.offset + operation.bytes.size()), '\0');
    } else {
      put(disk.files[operation.file], operation.offset + chance.begin,
          std::string_view(operation.bytes).substr(chance.begin, chance.end - chance.begin));
    }
  }
  return disk;
}

Disk all_done(const Disk& before, const std::vector<Operation>& operations, std::size_t done) {
  Disk disk = before;
  for (std::size_t at = 0; at < done; ++at) disk.apply(operations[at]);
  return disk;
}

}  // namespace regatta::crashes
