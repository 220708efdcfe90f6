// The cells of a CSV file (RFC 4180), one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// Throws InputError: "'x.csv' line 17 (offset 1234): ...".
[[noreturn]] void refuse_line(const FileBytes& file, std::size_t line, std::size_t offset, const std::string& what);

/// Lines end in LF, CR LF or CR; empty ones are passed over, and so are blanks around a cell. Quoted cells may hold
/// delimiters, ends of lines, and quotes written twice.
class CsvCells {
 public:
  CsvCells(const FileBytes& file, char delimiter);

  /// Goes to the next line that is not empty; false at the end of the file. The last one must have been read to its
  /// end.
  bool next_record();
  /// Whether empty lines stand before the record.
  [[nodiscard]] bool passed_empty_lines() const { return passed_empty_lines_; }
  /// Whether the record, none of whose cells was read, holds nothing but delimiters.
  [[nodiscard]] bool is_blank_record() const;
  /// Whether the record goes on behind the cell that was read last.
  [[nodiscard]] bool has_more() const { return has_more_; }

  /// The next cell's text, until the one after it is read. Throws InputError if a quote is not closed.
  std::string_view next_cell();

  /// Takes the next cell if it is a whole number that a float holds exactly: nearly all cells of pictures are.
  std::optional<float> take_small_number() {
    constexpr std::ptrdiff_t most_digits = 7;
    const char* const last = end_ - at_ > most_digits ? at_ + most_digits : end_;
    const char* at = at_;
    std::uint32_t value = 0;
    for (; at != last && *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<std::uint32_t>(*at - '0');
    if (at == at_ || at == end_ || !ends_cell(*at)) return std::nullopt;
    at_ = at;
    pass_delimiter();
    return static_cast<float>(value);
  }

  [[nodiscard]] std::size_t line() const { return record_line_; }      ///< where the record begins, from 1
  [[nodiscard]] std::size_t offset() const { return record_offset_; }  ///< where the record begins

 private:
  [[nodiscard]] bool ends_cell(char c) const { return c == delimiter_ || c == '\n' || c == '\r'; }
  void pass_delimiter() {
    if (at_ != end_ && *at_ == delimiter_) {
      ++at_;
    } else {
      pass_line_end();
    }
  }
  void pass_line_end();
  void pass_blanks();
  std::string_view quoted_cell();

  const FileBytes& file_;
  const char delimiter_;
  const char* at_;
  const char* end_;
  bool has_more_ = false;
  bool passed_empty_lines_ = false;
  std::size_t line_ = 1;
  std::size_t record_line_ = 1;
  std::size_t record_offset_ = 0;
  std::string unquoted_;  ///< a cell that has quotes written twice
};

}  // namespace regatta::data
