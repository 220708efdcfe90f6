// libzip is seen by this file alone; without it a ZIP archive is refused.
#include <fmt/format.h>

#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"

#ifdef REGATTA_WITH_LIBZIP
#include <zip.h>

#include <algorithm>
#include <memory>

#include "data/formats/formats.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

constexpr std::int64_t max_members = 4096;
constexpr std::string_view member_suffix = ".npy";

struct CloseArchive {
  void operator()(zip_t* archive) const { ::zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { ::zip_fclose(member); }
};

[[noreturn]] void refuse_archive(const FileBytes& file, const std::string& what) {
  throw InputError(fmt::format("'{}' is damaged: {}; get the file again", file.name, what));
}

std::unique_ptr<zip_t, CloseArchive> open_archive(const FileBytes& file) {
  zip_error_t error;
  ::zip_error_init(&error);
  zip_source_t* const source = ::zip_source_buffer_create(file.bytes.data(), file.bytes.size(), 0, &error);
  zip_t* const archive = source != nullptr ? ::zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  const std::string why = ::zip_error_strerror(&error);
  ::zip_error_fini(&error);
  if (archive != nullptr) return std::unique_ptr<zip_t, CloseArchive>(archive);
  if (source != nullptr) ::zip_source_free(source);
  refuse_archive(file, fmt::format("it is no ZIP archive that can be read ({})", why));
}

/// A member in the archive's table: its name without the suffix, and its size.
struct Listed {
  std::string name;
  std::uint64_t bytes;
};

Listed listed_member(const FileBytes& file, zip_t* archive, std::uint64_t index) {
  zip_stat_t stat;
  ::zip_stat_init(&stat);
  constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE;
  if (::zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & needed) != needed)
    refuse_archive(file, fmt::format("its table says nothing of member {}", index));
  const std::string_view name = stat.name;
  if (!name.ends_with(member_suffix) || name.size() == member_suffix.size()) {
    throw InputError(fmt::format("'{}' holds {} (members are NAME.npy, as numpy.savez writes them); take it out",
                                 file.name, json::show(name)));
  }
  if (json::find_strange_byte(name)) refuse_archive(file, fmt::format("the name of member {} is not UTF-8", index));
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    throw InputError(fmt::format("'{}' is encrypted (it cannot be read); save it without a password", file.name));
  return {std::string(name.substr(0, name.size() - member_suffix.size())), stat.size};
}

/// A member in memory: as long as the table says, with the right checksum.
FileBytes inflated_member(const FileBytes& file, zip_t* archive, std::uint64_t index, const Listed& listed,
                          std::uint64_t cap_bytes) {
  const std::string name = json::show(listed.name + std::string(member_suffix));
  const auto memory = shared_memory(file, listed.bytes, cap_bytes);
  const std::unique_ptr<zip_file_t, CloseMember> member(::zip_fopen_index(archive, index, 0));
  if (!member) refuse_archive(file, fmt::format("{} cannot be opened ({})", name, ::zip_strerror(archive)));
  const auto read = [&](void* to, std::uint64_t most) {
    const zip_int64_t got = ::zip_fread(member.get(), to, most);
    if (got >= 0) return static_cast<std::uint64_t>(got);
    refuse_archive(file, fmt::format("{} cannot be unpacked ({})", name, ::zip_file_strerror(member.get())));
  };
  std::uint64_t made = 0;
  while (made < listed.bytes) {
    const std::uint64_t got = read(memory.get() + made, listed.bytes - made);
    if (got == 0) refuse_archive(file, fmt::format("{} has {} bytes of {}", name, made, listed.bytes));
    made += got;
  }
  std::byte one_more;  // the checksum is compared where the end is seen
  if (read(&one_more, 1) != 0) refuse_archive(file, fmt::format("{} is longer than the table says", name));
  return {fmt::format("{}:{}{}", file.name, listed.name, member_suffix),
          {reinterpret_cast<const char*>(memory.get()), listed.bytes},
          memory};
}

}  // namespace

std::vector<Array> parse_npz(const FileBytes& file, std::uint64_t memory_cap_bytes) {
  const auto archive = open_archive(file);
  const std::int64_t members = ::zip_get_num_entries(archive.get(), 0);
  if (members < 1 || members > max_members) {
    throw InputError(fmt::format("'{}' has {} members (1 to {} are read); save arrays with numpy.savez", file.name,
                                 members, max_members));
  }
  std::vector<Array> arrays;
  std::uint64_t left_bytes = memory_cap_bytes;
  for (std::uint64_t index = 0; index < static_cast<std::uint64_t>(members); ++index) {
    const Listed listed = listed_member(file, archive.get(), index);
    const bool again = std::any_of(arrays.begin(), arrays.end(), [&](const Array& a) { return a.name == listed.name; });
    if (again) refuse_archive(file, fmt::format("it holds {} twice", json::show(listed.name)));
    const FileBytes member = inflated_member(file, archive.get(), index, listed, left_bytes);
    left_bytes -= listed.bytes;
    Array array = parse_npy(member, left_bytes);
    if (array.owner != member.owner)
      left_bytes -= std::min<std::uint64_t>(left_bytes, row_bytes(array) * static_cast<std::uint64_t>(array.count));
    array.name = listed.name;
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace regatta::data

#else

namespace regatta::data {

std::vector<Array> parse_npz(const FileBytes& file, std::uint64_t) {
  throw InputError(
      fmt::format("'{}' is a ZIP archive, which this build cannot read: it was built without libzip. Install "
                  "libzip-dev and build again, or save each array with numpy.save",
                  file.name));
}

}  // namespace regatta::data

#endif
