#include "data/formats/csv_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t bytes_per_category = 128;  // a text twice, and what holds it

std::string named_column(const Column& column) { return fmt::format("the column {}", json::show(column.name)); }

}  // namespace

std::optional<double> csv_number(std::string_view text, char decimal) {
  if (decimal != '.') {
    if (text.find('.') != std::string_view::npos) return std::nullopt;
    std::string with_point(text);
    std::ranges::replace(with_point, decimal, '.');
    return csv_number(with_point);
  }
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  constexpr std::string_view first_characters = "0123456789.iI";  // "inf", too
  if (text.empty() || first_characters.find(text.front()) == std::string_view::npos) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || at != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool is_tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    value = is_tiny ? 0 : std::numeric_limits<double>::infinity();
  }
  return is_negative ? -value : value;
}

bool is_missing_cell(std::string_view text) {
  constexpr std::array<std::string_view, 4> words = {"NA", "NaN", "nan", "NAN"};
  return text.empty() || std::find(words.begin(), words.end(), text) != words.end();
}

bool CsvColumn::is_missing(std::string_view text) const {
  return is_missing_cell(text) || std::ranges::find(reading_.missing, text) != reading_.missing.end();
}

double CsvColumn::value(std::string_view text, const FileBytes& file, const CsvCells& cells) {
  if (is_missing(text)) {
    ++column_.missing;
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::optional<double> number = csv_number(text, reading_.decimal);
  if (number) {
    ++numbers_;
  } else {
    meet_text(text, cells);
  }
  if (holds_texts_) return code_of(text, file, cells);
  if (std::abs(*number) <= std::numeric_limits<float>::max()) return *number;
  refuse_line(file, cells.line(), cells.offset(),
              fmt::format("{} in {} is no number that float32 holds; correct the cell, or leave it empty",
                          json::show(text), named_column(column_)));
}

void CsvColumn::meet_text(std::string_view text, const CsvCells& cells) {
  if (texts_++ > 0) return;
  first_text_ = json::shorten(text);
  first_text_line_ = cells.line();
  first_text_offset_ = cells.offset();
  if (holds_texts_) return;
  holds_texts_ = true;
  is_to_be_read_again_ = numbers_ > 0;
}

double CsvColumn::code_of(std::string_view text, const FileBytes& file, const CsvCells& cells) {
  if (is_to_be_read_again_) return 0;
  if (const auto known = codes_.find(text); known != codes_.end()) return static_cast<double>(known->second);
  const auto refuse = [&](const std::string& what) { refuse_line(file, cells.line(), cells.offset(), what); };
  if (json::find_strange_byte(text))
    refuse(fmt::format("{} holds a text that is not UTF-8; save the file as UTF-8", named_column(column_)));
  if (codes_.size() == max_csv_categories) {
    refuse_mixture(file);
    refuse(fmt::format("{} has more than {} different texts (they name rows, not kinds of rows); take the column out",
                       named_column(column_), max_csv_categories));
  }
  const std::size_t code = codes_.size();
  codes_.emplace(text, code);
  column_.categories.emplace_back(text);
  if (!reading_.holds_kinds && !csv_number(text, reading_.decimal)) count_look(text, cells);
  text_bytes_ += 2 * text.size() + bytes_per_category;
  return static_cast<double>(code);
}

void CsvColumn::count_look(std::string_view text, const CsvCells& cells) {
  const CsvLook look = look_of(text);
  const auto known = std::ranges::find(looks_, look, &Look::look);
  if (known != looks_.end())
    ++known->count;
  else
    looks_.push_back({look, 1, json::shorten(text), cells.line(), cells.offset()});
}

void CsvColumn::refuse_mixture(const FileBytes& file) const {
  if (texts_ == 0 || texts_ >= numbers_ || reading_.holds_kinds) return;
  refuse_line(
      file, first_text_line_, first_text_offset_,
      fmt::format("{} stands in {}, which has numbers in {} rows and texts in {}. Correct the cell. If the value "
                  "is missing, leave it empty or name its text in \"missing\"",
                  json::show(first_text_), named_column(column_), numbers_, texts_));
}

void CsvColumn::refuse_looks(const FileBytes& file) const {
  if (reading_.holds_kinds) return;
  const auto count = [&](CsvLook look) {
    const auto found = std::ranges::find(looks_, look, &Look::look);
    return found == looks_.end() ? 0 : found->count;
  };
  const auto refuse_as = [&](CsvLook look, const char* what) {
    const Look& first = *std::ranges::find(looks_, look, &Look::look);
    refuse_line(file, first.line, first.offset,
                fmt::format("{} in {} {}", json::show(first.text), named_column(column_), what));
  };
  const std::size_t numbers = count(CsvLook::number);
  const std::size_t times = count(CsvLook::time);
  const std::size_t kinds = count(CsvLook::text);
  if (numbers > 0 && numbers >= times && numbers >= kinds)
    refuse_as(CsvLook::number,
              "looks like a number, but would become a category. Set \"decimal\" for a decimal comma, remove marks and "
              "units, or name the column in \"categories\"");
  if (times > 0 && times >= kinds)
    refuse_as(CsvLook::time,
              "looks like a date or a time, but would become a category. Name the column in \"drop\", or in "
              "\"categories\"");
  if (numbers_ > 0 && kinds == 0 && count(CsvLook::missing) > 0)
    refuse_as(CsvLook::missing,
              "stands among numbers, which would become categories. Name it in \"missing\", or the column in "
              "\"categories\"");
}

void CsvColumn::start_again() {
  const bool holds_texts = holds_texts_;
  *this = CsvColumn(std::move(column_.name), reading_);
  holds_texts_ = holds_texts;
}

}  // namespace regatta::data
