#include "data/formats/csv_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "regatta/base/error.hpp"

namespace regatta::data {

namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

void refuse_line(const FileBytes& file, std::size_t line, std::size_t offset, const std::string& what) {
  throw InputError(fmt::format("'{}' line {} (offset {}): {}", file.name, line, offset, what));
}

CsvCells::CsvCells(const FileBytes& file, char delimiter)
    : file_(file), delimiter_(delimiter), at_(file.bytes.data()), end_(file.bytes.data() + file.bytes.size()) {
  if (file.bytes.starts_with(utf8_mark)) at_ += utf8_mark.size();
}

bool CsvCells::next_record() {
  const char* const begin = at_;
  while (at_ != end_ && (*at_ == '\n' || *at_ == '\r')) pass_line_end();
  passed_empty_lines_ = at_ != begin;
  record_line_ = line_;
  record_offset_ = static_cast<std::size_t>(at_ - file_.bytes.data());
  has_more_ = at_ != end_;
  return has_more_;
}

bool CsvCells::is_blank_record() const {
  bool has_delimiter = false;
  for (const char* at = at_; at != end_ && *at != '\n' && *at != '\r'; ++at) {
    has_delimiter = has_delimiter || *at == delimiter_;
    if (*at != delimiter_ && *at != '"' && !is_blank(*at)) return false;
  }
  return has_delimiter;
}

void CsvCells::pass_line_end() {
  has_more_ = false;
  if (at_ == end_) return;
  const bool is_pair = *at_ == '\r' && end_ - at_ > 1 && at_[1] == '\n';
  at_ += is_pair ? 2 : 1;
  ++line_;
}

void CsvCells::pass_blanks() {
  while (at_ != end_ && is_blank(*at_) && *at_ != delimiter_) ++at_;
}

std::string_view CsvCells::next_cell() {
  pass_blanks();
  if (at_ != end_ && *at_ == '"') return quoted_cell();
  const char* const first = at_;
  while (at_ != end_ && !ends_cell(*at_)) ++at_;
  const char* last = at_;
  while (last != first && is_blank(last[-1])) --last;
  pass_delimiter();
  return {first, static_cast<std::size_t>(last - first)};
}

std::string_view CsvCells::quoted_cell() {
  const std::size_t opening_line = line_;
  const auto opening_offset = static_cast<std::size_t>(at_ - file_.bytes.data());
  unquoted_.clear();
  bool is_in_one_piece = true;
  for (const char* first = ++at_;; first = at_) {
    const void* const quote = std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_));
    if (quote == nullptr)
      refuse_line(file_, opening_line, opening_offset, "the quote that opens here is never closed; close it");
    const char* const last = static_cast<const char*>(quote);
    line_ += static_cast<std::size_t>(std::count(first, last, '\n'));
    at_ = last + 1;
    const bool is_doubled = at_ != end_ && *at_ == '"';
    const std::string_view piece(first, static_cast<std::size_t>(last - first) + (is_doubled ? 1 : 0));
    is_in_one_piece = is_in_one_piece && !is_doubled;
    if (!is_in_one_piece) unquoted_ += piece;
    if (is_doubled) {
      ++at_;
      continue;
    }
    pass_blanks();
    if (at_ != end_ && !ends_cell(*at_)) {
      refuse_line(file_, line_, static_cast<std::size_t>(at_ - file_.bytes.data()),
                  "there is text behind a closing quote; write a quote inside a cell twice");
    }
    pass_delimiter();
    return is_in_one_piece ? piece : std::string_view(unquoted_);
  }
}

}  // namespace regatta::data
