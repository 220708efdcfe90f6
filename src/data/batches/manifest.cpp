#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "data/batches/batches.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t digest_characters = 64;

/// The text behind the first `key` after the key `name`. This folder reads no other part of a manifest, so it does
/// without a JSON library. A wrong match is no digest of the file and fails the comparison.
std::string_view listed(std::string_view manifest, const std::string& name, const std::string& key) {
  for (const std::string& each : {name, key}) {
    const std::string quoted = fmt::format("\"{}\"", each);
    const std::size_t at = manifest.find(quoted);
    if (at == std::string_view::npos) return {};
    manifest.remove_prefix(at + quoted.size());
  }
  return manifest;
}

std::optional<std::string> listed_sha256(std::string_view manifest, const std::string& name) {
  manifest = listed(manifest, name, "sha256");
  const std::size_t opening = manifest.find('"');
  if (opening == std::string_view::npos) return std::nullopt;
  const std::string_view digest = manifest.substr(opening + 1, digest_characters);
  const bool hexadecimal = digest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (digest.size() != digest_characters || !hexadecimal) return std::nullopt;
  return std::string(digest);
}

/// Nothing if the manifest does not tell.
std::optional<std::uint64_t> listed_bytes(std::string_view manifest, const std::string& name) {
  manifest = listed(manifest, name, "bytes");
  manifest.remove_prefix(std::min(manifest.find_first_not_of(": "), manifest.size()));
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(manifest.data(), manifest.data() + manifest.size(), bytes);
  return error == std::errc() ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::string read_listed_file(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path manifest = folder / "manifest.json";
  const std::string text = read_file(manifest);
  const std::optional<std::string> expected = listed_sha256(text, name);
  if (!expected) {
    throw InputError(fmt::format("'{}' has no SHA-256 for {} (its files cannot be checked); restore the manifest",
                                 manifest.string(), name));
  }
  std::string bytes = read_file(folder / name);
  const std::string found = sha256_hex(bytes);
  if (found == *expected) return bytes;
  const auto whole = listed_bytes(text, name);
  if (whole && bytes.size() < *whole) {
    throw InputError(
        fmt::format("'{}' is cut short: it has {} bytes of the {} that the manifest names; restore the file",
                    (folder / name).string(), bytes.size(), *whole));
  }
  throw InputError(fmt::format("'{}' is damaged: its SHA-256 is {}, but the manifest says {}; restore the file",
                               (folder / name).string(), found, *expected));
}

}  // namespace regatta::data
