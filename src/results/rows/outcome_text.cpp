#include "regatta/results/outcome_text.hpp"

#include <fmt/format.h>

namespace regatta::results {

std::string cause_of(const sweep::Outcome& outcome) {
  if (const auto* failed = std::get_if<sweep::Failed>(&outcome)) return sweep::to_string(failed->kind);
  if (const auto* skipped = std::get_if<sweep::Skipped>(&outcome)) return sweep::to_string(skipped->kind);
  return "none";
}

std::string message_of(const sweep::Outcome& outcome) {
  if (const auto* failed = std::get_if<sweep::Failed>(&outcome)) return failed->message;
  if (const auto* skipped = std::get_if<sweep::Skipped>(&outcome)) return skipped->reason;
  return {};
}

std::string without_numbers(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string kept;
  for (const char c : text) {
    if (!is_digit(c))
      kept += c;
    else if (!kept.ends_with('#'))
      kept += '#';
  }
  return kept;
}

std::string text_for_all(std::string_view example, std::size_t reasons) {
  if (reasons <= 1) return std::string(example);
  return fmt::format("{} (and {} reason{} like it, with other numbers)", example, reasons - 1, reasons == 2 ? "" : "s");
}

std::map<std::string, std::size_t> folded(const std::map<std::string, std::size_t>& counts) {
  struct Kind {
    std::string example;
    std::size_t reasons = 0;
    std::size_t count = 0;
  };
  std::map<std::string, Kind> kinds;
  for (const auto& [reason, count] : counts) {
    Kind& kind = kinds[without_numbers(reason)];
    if (kind.reasons++ == 0) kind.example = reason;
    kind.count += count;
  }
  std::map<std::string, std::size_t> lines;
  for (const auto& [reason, count] : counts) {
    const Kind& kind = kinds[without_numbers(reason)];
    if (kind.reasons <= most_alike)
      lines[reason] = count;
    else
      lines[text_for_all(kind.example, kind.reasons)] = kind.count;
  }
  return lines;
}

}  // namespace regatta::results
