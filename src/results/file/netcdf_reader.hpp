// Columns of a file that may be damaged or foreign: everything is checked before it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "results/file/column_requests.hpp"

namespace regatta::results::hdf5 {

/// Attributes of the file itself; nothing if there is none of that kind.
std::optional<std::string> file_text(const Ask& ask, const std::string& name);
std::optional<std::int64_t> file_integer(const Ask& ask, const std::string& name);

/// Whether the file has this group at its root.
bool has_group(const Ask& ask, const std::string& name);

class GroupReader {
 public:
  /// `rows`: the dimension whose size all columns of a table have, or "" to read other variables only.
  GroupReader(Ask ask, std::string name, const std::string& rows);

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
  template <class Column>
  [[nodiscard]] Column column(Wanted wanted, const std::string& variable) const;

  Ask ask_;
  std::string name_;
  std::size_t rows_ = 0;
};

/// A column of ids. Throws InputError.
std::vector<Hash128> hashes(const GroupReader& group, const std::string& variable);

}  // namespace regatta::results::hdf5
