#include "data/manifest.hpp"

#include <fmt/format.h>

#include <optional>

#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t digest_characters = 64;

/// The value of the first "sha256" key after the key `name`. This folder reads no other part of a manifest, so it does
/// without a JSON library; what is found by mistake is no digest of the file and fails the comparison.
std::optional<std::string> listed_sha256(std::string_view manifest, const std::string& name) {
  for (const std::string& key : {fmt::format("\"{}\"", name), std::string("\"sha256\"")}) {
    const std::size_t at = manifest.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    manifest.remove_prefix(at + key.size());
  }
  const std::size_t opening = manifest.find('"');
  if (opening == std::string_view::npos) return std::nullopt;
  const std::string_view digest = manifest.substr(opening + 1, digest_characters);
  const bool hexadecimal = digest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (digest.size() != digest_characters || !hexadecimal) return std::nullopt;
  return std::string(digest);
}

}  // namespace

std::string read_listed_file(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path manifest = folder / "manifest.json";
  const std::optional<std::string> expected = listed_sha256(read_file(manifest), name);
  if (!expected) {
    throw InputError(fmt::format("'{}' has no SHA-256 for {} (its files cannot be checked); restore the manifest",
                                 manifest.string(), name));
  }
  std::string bytes = read_file(folder / name);
  const std::string found = sha256_hex(bytes);
  if (found == *expected) return bytes;
  throw InputError(fmt::format("'{}' is damaged: its SHA-256 is {}, but the manifest says {}; restore the file",
                               (folder / name).string(), found, *expected));
}

}  // namespace regatta::data
