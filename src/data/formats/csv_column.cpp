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

std::optional<double> csv_number(std::string_view text) {
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

double CsvColumn::value(std::string_view text, const FileBytes& file, const CsvCells& cells) {
  if (is_missing_cell(text)) {
    ++column_.missing;
    return std::numeric_limits<double>::quiet_NaN();
  }
  const std::optional<double> number = csv_number(text);
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
  text_bytes_ += 2 * text.size() + bytes_per_category;
  return static_cast<double>(code);
}

void CsvColumn::refuse_mixture(const FileBytes& file) const {
  if (texts_ == 0 || texts_ >= numbers_) return;
  refuse_line(file, first_text_line_, first_text_offset_,
              fmt::format("{} stands in {}, which has numbers in {} rows and texts in {}. Correct the cell, or leave "
                          "it empty if the value is missing",
                          json::show(first_text_), named_column(column_), numbers_, texts_));
}

void CsvColumn::start_again() {
  const bool holds_texts = holds_texts_;
  *this = CsvColumn(std::move(column_.name));
  holds_texts_ = holds_texts;
}

}  // namespace regatta::data
