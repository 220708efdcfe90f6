#include "data/formats/csv_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t bytes_per_category = 128;  // a text twice, and what holds it

constexpr std::size_t fewest_numbers = 3;  // with fewer of a form it is one by chance

std::string named_column(const Column& column) { return fmt::format("the column {}", json::show(column.name)); }

bool is_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, json::is_digit); }

/// "1.234", "12.345.678" and no "0.123": a point before each three digits.
bool has_thousands(std::string_view text) {
  constexpr std::size_t group = 3;
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t first = text.find('.');
  if (first == std::string_view::npos || first == 0 || first > group || text.front() == '0') return false;
  if (!is_digits(text.substr(0, first))) return false;
  std::string_view rest = text.substr(first);
  for (; !rest.empty(); rest.remove_prefix(group + 1)) {
    if (rest.size() <= group || rest.front() != '.' || !is_digits(rest.substr(1, group))) return false;
  }
  return true;
}

/// "20240131" or "20240131235959".
bool is_compact_date(std::string_view text) {
  constexpr std::size_t day_digits = 8;
  constexpr std::size_t second_digits = 14;
  if ((text.size() != day_digits && text.size() != second_digits) || !is_digits(text)) return false;
  const std::string_view year = text.substr(0, 4);
  const std::string_view month = text.substr(4, 2);
  const std::string_view day = text.substr(6, 2);
  return year >= "1800" && year <= "2199" && month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

/// Numbers that programs write for a missing one.
bool is_sentinel(double number) { return number == -99 || number == -999 || number == -9999 || number == -99999; }

/// In lower case, blanks at the ends taken away and several of them one: what differs by that alone was typed twice.
std::string plain(std::string_view text) {
  std::string in_blanks(text);
  for (const std::string_view blank : {"\u00a0", "\u202f", "\u2009", "\u200b", "\ufeff", "\t", "\n", "\r"}) {
    for (std::size_t at = in_blanks.find(blank); at != std::string::npos; at = in_blanks.find(blank, at))
      in_blanks.replace(at, blank.size(), " ");
  }
  std::string found;
  for (const char c : in_blanks) {
    if (c == ' ' && (found.empty() || found.back() == ' ')) continue;
    const auto byte = static_cast<unsigned char>(c);
    const bool is_latin = found.ends_with('\xc3') && byte >= 0x80 && byte <= 0x9e && byte != 0x97;  // from U+00C0 on
    found += (c >= 'A' && c <= 'Z') || is_latin ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  if (found.ends_with(' ')) found.pop_back();
  return found;
}

}  // namespace

CsvColumn::CsvColumn(std::string name, CsvReading reading)
    : reading_(reading),
      has_missing_numbers_(std::ranges::any_of(reading.missing, is_digits)),
      holds_texts_(reading.holds_kinds) {
  column_.name = std::move(name);
}

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
    if (!holds_texts_) count_doubts(text, *number, cells);
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
  first_text_ = {json::shorten(text), cells.line(), cells.offset()};
  if (holds_texts_) return;
  holds_texts_ = true;
  is_to_be_read_again_ = numbers_ > 0;
}

double CsvColumn::code_of(std::string_view text, const FileBytes& file, const CsvCells& cells) {
  if (is_to_be_read_again_) return 0;
  if (const auto known = codes_.find(text); known != codes_.end()) return static_cast<double>(known->second);
  const auto refuse = [&](const std::string& what) { refuse_line(file, cells.line(), cells.offset(), what); };
  if (text.find('\0') != std::string_view::npos)
    refuse(
        fmt::format("{} holds a zero byte, which no text has (the file is damaged, or no text file, or in UTF-16); "
                    "save it as UTF-8",
                    named_column(column_)));
  if (json::find_strange_byte(text))
    refuse(fmt::format("{} holds a text that is not UTF-8; save the file as UTF-8", named_column(column_)));
  if (codes_.size() == max_csv_categories) {
    refuse_mixture(file);
    refuse(fmt::format("{} has more than {} different texts (they name rows, not kinds of rows); take the column out",
                       named_column(column_), max_csv_categories));
  }
  if (text == column_.name && !reading_.holds_kinds && !csv_number(text, reading_.decimal))
    refuse(
        fmt::format("{} holds its own name (is the header repeated?); take the line out, or name the column in "
                    "\"categories\"",
                    named_column(column_)));
  const std::size_t code = codes_.size();
  codes_.emplace(text, code);
  column_.categories.emplace_back(text);
  if (!reading_.holds_kinds && !csv_number(text, reading_.decimal)) count_seen(looks_, look_of(text), text, cells);
  text_bytes_ += 2 * text.size() + bytes_per_category;
  return static_cast<double>(code);
}

template <class Kind>
const CsvColumn::Seen<Kind>* CsvColumn::find_seen(const std::vector<Seen<Kind>>& all, Kind kind) {
  const auto found = std::ranges::find(all, kind, &Seen<Kind>::kind);
  return found == all.end() ? nullptr : &*found;
}

template <class Kind>
void CsvColumn::count_seen(std::vector<Seen<Kind>>& all, Kind kind, std::string_view text, const CsvCells& cells) {
  const auto found = std::ranges::find(all, kind, &Seen<Kind>::kind);
  if (found != all.end())
    ++found->count;
  else
    all.push_back({kind, 1, {json::shorten(text), cells.line(), cells.offset()}});
}

void CsvColumn::count_doubts(std::string_view text, double number, const CsvCells& cells) {
  if (number >= 0 && number < 1000 && is_digits(text)) ++below_1000_;
  if (has_thousands(text)) count_seen(doubts_, Doubt::thousands, text, cells);
  if (is_compact_date(text)) count_seen(doubts_, Doubt::date, text, cells);
  if (number >= 0) return;
  const auto* const before = find_seen(doubts_, Doubt::sentinel);
  if (is_sentinel(number) && (before == nullptr || csv_number(before->first.text, reading_.decimal) == number))
    count_seen(doubts_, Doubt::sentinel, text, cells);
  else
    ++negatives_;
}

void CsvColumn::refuse_numbers(const FileBytes& file) const {
  if (reading_.is_asked_for) return;
  const auto are_all = [&](const Seen<Doubt>* seen, std::int64_t others) {
    return seen != nullptr && seen->count >= static_cast<std::int64_t>(fewest_numbers) &&
           seen->count + others == numbers_;
  };
  const auto* const thousands = find_seen(doubts_, Doubt::thousands);
  const bool may_be_thousands = !reading_.is_decimal_told && (below_1000_ > 0 || reading_.may_have_thousands);
  if (may_be_thousands && are_all(thousands, below_1000_))
    refuse_cell(file, thousands->first,
                "may be a fraction or have a point before its thousands, as all its numbers do. Remove such points, or "
                "set \"decimal\" to \".\" if these are fractions");
  if (const auto* const date = find_seen(doubts_, Doubt::date); are_all(date, 0))
    refuse_cell(file, date->first,
                "looks like a date, but would become a number. Name the column in \"drop\", or in \"categories\"");
  const auto* const sentinel = find_seen(doubts_, Doubt::sentinel);
  if (sentinel != nullptr && negatives_ == 0 && sentinel->count < numbers_)
    refuse_cell(file, sentinel->first,
                fmt::format("is the only number below zero, in {} row{}: it may stand for no value. Name it in "
                            "\"missing\", or all that are to be read in \"columns\"",
                            sentinel->count, sentinel->count == 1 ? "" : "s"));
}

void CsvColumn::refuse_mixture(const FileBytes& file) const {
  if (texts_ == 0 || texts_ >= numbers_ || reading_.holds_kinds) return;
  refuse_words_among_numbers(file);
}

void CsvColumn::refuse_mixed_classes(const FileBytes& file) const {
  if (texts_ > 0 && numbers_ > 0 && !reading_.holds_kinds) refuse_words_among_numbers(file);
}

void CsvColumn::refuse_words_among_numbers(const FileBytes& file) const {
  refuse_line(
      file, first_text_.line, first_text_.offset,
      fmt::format("{} stands in {}, which has numbers in {} rows and texts in {}. Correct the cell. If the value "
                  "is missing, leave it empty or name its text in \"missing\"",
                  json::show(first_text_.text), named_column(column_), numbers_, texts_));
}

std::int64_t CsvColumn::looks(CsvLook look) const {
  const auto* const found = find_seen(looks_, look);
  return found == nullptr ? 0 : found->count;
}

void CsvColumn::refuse_cell(const FileBytes& file, const Cell& cell, std::string_view what) const {
  refuse_line(file, cell.line, cell.offset,
              fmt::format("{} in {} {}", json::show(cell.text), named_column(column_), what));
}

void CsvColumn::refuse_look(const FileBytes& file, CsvLook look, std::string_view what) const {
  refuse_cell(file, find_seen(looks_, look)->first, what);
}

void CsvColumn::refuse_looks(const FileBytes& file) const {
  if (reading_.holds_kinds) return;
  if (!holds_texts_) return refuse_numbers(file);
  const std::int64_t numbers = looks(CsvLook::number);
  const std::int64_t times = looks(CsvLook::time);
  const std::int64_t kinds = looks(CsvLook::text) + looks(CsvLook::doubtful);
  if (numbers > 0 && numbers >= times && numbers >= kinds)
    refuse_look(
        file, CsvLook::number,
        "looks like a number, but would become a category. Write plain decimal numbers, without units and other "
        "marks, set \"decimal\" for a decimal comma, or name the column in \"categories\"");
  if (times > 0 && times >= kinds)
    refuse_look(file, CsvLook::time,
                "looks like a date or a time, but would become a category. Name the column in \"drop\", or in "
                "\"categories\"");
  refuse_missing(file);
  refuse_alike(file);
  refuse_names(file);
}

void CsvColumn::refuse_missing(const FileBytes& file) const {
  constexpr std::size_t most_words = 2;
  constexpr std::size_t fewest_numbers_beside = 10;
  const std::int64_t words = looks(CsvLook::text);
  const std::int64_t marks = looks(CsvLook::missing);
  const bool has_marks = marks + looks(CsvLook::doubtful) > 0;
  if (numbers_ > 0 && words == 0 && has_marks)
    refuse_look(file, marks > 0 ? CsvLook::missing : CsvLook::doubtful,
                "stands among numbers, which would become categories. Name it in \"missing\", or the column in "
                "\"categories\"");
  std::size_t different_texts = 0;
  for (const auto& look : looks_) different_texts += static_cast<std::size_t>(look.count);
  if (numbers_ > 0 && different_texts <= most_words && codes_.size() >= different_texts + fewest_numbers_beside)
    refuse_words_among_numbers(file);
  const bool are_signs = codes_.contains("+") && codes_.contains("-");
  if (marks > 0 && !are_signs)
    refuse_look(file, CsvLook::missing,
                "may stand for no value, but would become a category. Name it in \"missing\", or the column in "
                "\"categories\"");
}

/// Two spellings of one kind would be two.
void CsvColumn::refuse_alike(const FileBytes& file) const {
  std::unordered_map<std::string, const std::string*> spellings;
  for (const std::string& text : column_.categories) {
    const auto [known, is_new] = spellings.emplace(plain(text), &text);
    if (is_new) continue;
    throw InputError(
        fmt::format("'{}': {} and {} in {} differ in capital letters or blanks alone. Write them alike, or name the "
                    "column in \"categories\"",
                    file.name, json::show(*known->second), json::show(text), named_column(column_)));
  }
}

/// A text of its own in nearly every row is a name, and its number says where the row stands.
void CsvColumn::refuse_names(const FileBytes& file) const {
  constexpr std::size_t fewest_rows = 20;
  constexpr double most_share = 0.9;
  const auto rows = static_cast<double>(texts_ + numbers_);
  if (codes_.size() < fewest_rows || static_cast<double>(codes_.size()) < most_share * rows) return;
  throw InputError(fmt::format(
      "'{}': {} has {} different texts in {} rows (they name rows, not kinds of rows). Name it in \"drop\", "
      "or in \"categories\"",
      file.name, named_column(column_), codes_.size(), texts_ + numbers_));
}

void CsvColumn::start_again() {
  const bool holds_texts = holds_texts_;
  *this = CsvColumn(std::move(column_.name), reading_);
  holds_texts_ = holds_texts;
}

}  // namespace regatta::data
