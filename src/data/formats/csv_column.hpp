// A column of a CSV file while it is read: numbers, or texts that become numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/formats/csv_cells.hpp"
#include "data/formats/formats.hpp"
#include "regatta/data/array.hpp"

namespace regatta::data {

inline constexpr std::size_t max_csv_categories = 65536;  ///< more name rows, not kinds of them

/// How the texts of a column are understood.
struct CsvReading {
  char decimal = '.';
  std::span<const std::string> missing = {};  ///< texts that stand for no value, besides NA and NaN
  bool holds_kinds = false;                   ///< all of them are kinds, numbers too
  bool is_asked_for = false;                  ///< somebody named it among those that are to be read
  bool is_decimal_told = false;
  bool may_have_thousands = false;  ///< a point may divide thousands, as where a semicolon divides cells
};

/// The number that is the whole text; infinite if no double holds it. Nothing for another text.
std::optional<double> csv_number(std::string_view text, char decimal = '.');

/// Whether a cell holds no value: empty, NA or NaN.
bool is_missing_cell(std::string_view text);

class CsvColumn {
 public:
  explicit CsvColumn(std::string name, CsvReading reading = {});

  /// The value of the next cell: a number, the number of a text, or NaN. Throws InputError if no float32 holds it, or
  /// if there are too many different texts.
  double value(std::string_view text, const FileBytes& file, const CsvCells& cells);
  /// The same for a cell that is known to be a number. The column must take small numbers.
  void count_number(float number) {
    ++numbers_;
    below_1000_ += number < 1000 ? 1 : 0;
  }
  [[nodiscard]] bool holds_kinds() const { return reading_.holds_kinds; }
  [[nodiscard]] bool takes_small_numbers() const { return !holds_texts_ && !has_missing_numbers_; }

  /// Throws InputError if the column is one of numbers with a few texts among them.
  void refuse_mixture(const FileBytes& file) const;
  /// The same where there is any text beside any number: classes of a label are all of one kind.
  void refuse_mixed_classes(const FileBytes& file) const;
  /// Throws InputError if its texts look like something else than kinds, or its numbers like something else than
  /// quantities: they would have no meaning.
  void refuse_looks(const FileBytes& file) const;
  /// Whether its first texts came after numbers, which have to be read again as texts.
  [[nodiscard]] bool is_to_be_read_again() const { return is_to_be_read_again_; }
  /// Forgets everything but whether it holds texts.
  void start_again();

  [[nodiscard]] const Column& column() const { return column_; }
  /// Bytes of the texts in memory.
  [[nodiscard]] std::size_t text_bytes() const { return text_bytes_; }

 private:
  struct HashText {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  /// The first cell of a kind.
  struct Cell {
    std::string text;
    std::size_t line = 0;
    std::size_t offset = 0;
  };
  /// The texts of one look, or numbers that may be something else: how many of them there are.
  template <class Kind>
  struct Seen {
    Kind kind;
    std::int64_t count = 0;
    Cell first;
  };
  enum class Doubt : std::uint8_t {
    thousands,  ///< 1.234
    date,       ///< 20240131
    sentinel,   ///< -999
  };

  void meet_text(std::string_view text, const CsvCells& cells);
  void count_doubts(std::string_view text, double number, const CsvCells& cells);
  template <class Kind>
  static const Seen<Kind>* find_seen(const std::vector<Seen<Kind>>& all, Kind kind);
  template <class Kind>
  static void count_seen(std::vector<Seen<Kind>>& all, Kind kind, std::string_view text, const CsvCells& cells);
  [[nodiscard]] std::int64_t looks(CsvLook look) const;
  void refuse_numbers(const FileBytes& file) const;
  [[noreturn]] void refuse_words_among_numbers(const FileBytes& file) const;
  [[noreturn]] void refuse_cell(const FileBytes& file, const Cell& cell, std::string_view what) const;
  void refuse_look(const FileBytes& file, CsvLook look, std::string_view what) const;
  void refuse_missing(const FileBytes& file) const;
  void refuse_alike(const FileBytes& file) const;
  void refuse_names(const FileBytes& file) const;
  [[nodiscard]] bool is_missing(std::string_view text) const;
  double code_of(std::string_view text, const FileBytes& file, const CsvCells& cells);

  CsvReading reading_;
  Column column_;
  std::vector<Seen<CsvLook>> looks_;  ///< different texts
  std::vector<Seen<Doubt>> doubts_;
  std::int64_t below_1000_ = 0;       ///< whole numbers below it, from 0, without a point
  std::int64_t negatives_ = 0;        ///< numbers below zero that are no sentinels
  bool has_missing_numbers_ = false;  ///< a number may stand for no value
  bool holds_texts_ = false;
  bool is_to_be_read_again_ = false;
  std::int64_t numbers_ = 0;
  std::int64_t texts_ = 0;
  Cell first_text_;
  std::unordered_map<std::string, std::size_t, HashText, std::equal_to<>> codes_;
  std::size_t text_bytes_ = 0;
};

}  // namespace regatta::data
