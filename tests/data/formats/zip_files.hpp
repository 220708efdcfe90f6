// ZIP archives made by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/formats/format_files.hpp"

namespace regatta::data {

struct ZipMember {
  std::string name;
  std::string packed;    ///< as it lies in the archive
  std::uint16_t method;  ///< 0: as it is; 8: deflated
  std::uint32_t crc32;   ///< CRC-32 of what it holds
  std::uint32_t bytes;   ///< how long that is
};

inline ZipMember stored_member(const std::string& name, const std::string& bytes) {
  return {name, bytes, 0, crc32_of(bytes), static_cast<std::uint32_t>(bytes.size())};
}

/// The fields in both headers of a member: from the version to the length of its name.
inline std::string zip_fields(const ZipMember& member) {
  return bytes_of(std::uint16_t{20}) + bytes_of(std::uint16_t{0}) + bytes_of(member.method) +
         bytes_of(std::uint32_t{0x00210000}) + bytes_of(member.crc32) +
         bytes_of(static_cast<std::uint32_t>(member.packed.size())) + bytes_of(member.bytes) +
         bytes_of(static_cast<std::uint16_t>(member.name.size())) + bytes_of(std::uint16_t{0});
}

inline std::string zipped(const std::vector<ZipMember>& members) {
  std::string bytes;
  std::string table;
  for (const ZipMember& member : members) {
    table += "PK\1\2" + bytes_of(std::uint16_t{20}) + zip_fields(member) + std::string(10, '\0') +
             bytes_of(static_cast<std::uint32_t>(bytes.size())) + member.name;
    bytes += "PK\3\4" + zip_fields(member) + member.name + member.packed;
  }
  const auto count = static_cast<std::uint16_t>(members.size());
  return bytes + table + std::string("PK\5\6\0\0\0\0", 8) + bytes_of(count) + bytes_of(count) +
         bytes_of(static_cast<std::uint32_t>(table.size())) + bytes_of(static_cast<std::uint32_t>(bytes.size())) +
         bytes_of(std::uint16_t{0});
}

}  // namespace regatta::data
