// Columns of a file that may be damaged or foreign: everything is checked before it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "results/file/handles.hpp"

namespace regatta::results::hdf5 {

std::optional<std::string> text_attribute(hid_t object, const std::string& name);
std::optional<std::int64_t> integer_attribute(hid_t object, const std::string& name);

/// Whether the file has this group at its root.
bool has_group(hid_t file, const std::string& name);

class GroupReader {
 public:
  /// `rows`: the dimension whose size all columns of a table have, or "" to read other variables only.
  GroupReader(hid_t file, std::string name, const std::string& rows);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] bool has(const std::string& variable) const;
  [[nodiscard]] std::vector<std::string> variables() const;

  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& variable) const;
  [[nodiscard]] std::vector<double> numbers(const std::string& variable) const;
  [[nodiscard]] std::vector<std::string> texts(const std::string& variable) const;

  /// Integers from `lowest` to `end` - 1 only, such as flags and rows of another table.
  [[nodiscard]] std::vector<std::int64_t> integers_in(const std::string& variable, std::int64_t lowest,
                                                      std::size_t end) const;

  /// The value that stands for "none", if the variable has one.
  [[nodiscard]] std::optional<std::int64_t> fill_of(const std::string& variable) const;

  /// A variable without dimensions.
  [[nodiscard]] std::string text(const std::string& variable) const;

  /// The same group seen along another dimension.
  [[nodiscard]] GroupReader along(const std::string& rows) const;

 private:
  [[nodiscard]] Dataset open(const std::string& variable) const;
  [[nodiscard]] std::size_t length_of(const std::string& variable) const;
  void expect_rows(const std::string& variable) const;

  hid_t file_;
  std::string name_;
  Group group_;
  std::size_t rows_ = 0;
};

/// A column of ids. Throws InputError.
std::vector<Hash128> hashes(const GroupReader& group, const std::string& variable);

}  // namespace regatta::results::hdf5
