#include "run/outputs_note.hpp"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <utility>

#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/results/store.hpp"

namespace regatta::launcher {
namespace {

constexpr std::uint64_t largest_output_bytes = std::uint64_t{1} << 36;
constexpr std::uint64_t largest_note_bytes = 4096;

/// Nothing if it cannot be read.
std::optional<std::string> contents_of(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) return std::nullopt;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  try {
    read_file(file, largest_output_bytes, [&](std::string_view piece) {
      crc = crc32c(piece, crc);
      bytes += piece.size();
    });
  } catch (const InputError&) {
    return std::nullopt;
  }
  return fmt::format("{} {} {:08x}\n", file.extension().string(), bytes, crc);
}

std::string journal_line(const results::Scan& journal) {
  return fmt::format("journal {}\n", to_string(results::fingerprint(journal)));
}

}  // namespace

OutputsNote::OutputsNote(const std::filesystem::path& folder, const results::Scan& journal, Files files)
    : note_(folder / "outputs"), files_(std::move(files)) {
  const std::string program = running_build();
  if (!program.empty()) source_ = fmt::format("regatta {}\n{}", program, journal_line(journal));
}

bool OutputsNote::holds() const {
  if (source_.empty() || !std::filesystem::is_regular_file(note_)) return false;
  try {
    const std::string kept = read_file(note_, largest_note_bytes);
    return kept.starts_with(source_) && kept == text();
  } catch (const InputError&) {
    return false;
  }
}

void OutputsNote::keep() const {
  const std::string now = source_.empty() ? std::string() : text();
  if (now.empty()) return;
  try {
    write_file_atomically(note_, now);
  } catch (const StorageError&) {
    std::error_code ignored;
    std::filesystem::remove(note_, ignored);
  }
}

std::string OutputsNote::text() const {
  std::string text = source_;
  for (const std::filesystem::path& file : files_) {
    const auto contents = contents_of(file);
    if (!contents) return {};
    text += *contents;
  }
  return text;
}

bool is_outdated(const std::filesystem::path& file, const std::filesystem::path& folder) {
  if (!std::filesystem::is_regular_file(folder / "outputs")) return false;
  try {
    const std::string note = read_file(folder / "outputs", largest_note_bytes);
    if (note.find(journal_line(results::read_store(folder))) != std::string::npos) return false;
    const auto written = contents_of(file);
    return written && note.find('\n' + *written) != std::string::npos;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace regatta::launcher
