// The requests of a reader of NAME.h5, and the answers: one column at a time. The process that reads the file need not
// be the one that asks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace regatta::results::hdf5 {

enum class Wanted : std::uint8_t {
  root_text,     ///< attribute `name` of the file: std::string
  root_integer,  ///< attribute `name` of the file: std::int64_t
  group,         ///< whether the file has the group: std::int64_t, 1 or nothing
  variables,     ///< names of the group's variables: Texts
  variable,      ///< whether the group has the variable `name`: std::int64_t, 1 or nothing
  length,        ///< the one dimension of the variable: std::int64_t
  fill_value,    ///< the variable's: std::int64_t
  integers,      ///< a column of `rows` integers
  numbers,       ///< a column of `rows` doubles
  texts,         ///< a column of `rows` texts
  text,          ///< a variable without dimensions: std::string
};

struct Request {
  Wanted wanted = Wanted::root_text;
  std::string group;
  std::string name;
  std::uint64_t rows = 0;
  bool operator==(const Request&) const = default;
};

/// A column of texts in two pieces of memory, so that it moves as fast as one of numbers.
struct Texts {
  std::vector<std::uint64_t> lengths;
  std::string all;  ///< one behind the other
  bool operator==(const Texts&) const = default;
};

/// std::monostate: the file has no such attribute, group, variable or fill value.
using Answer =
    std::variant<std::monostate, std::int64_t, std::string, std::vector<std::int64_t>, std::vector<double>, Texts>;

/// Throws Hdf5Error or InputError, without the name of the file.
using Ask = std::function<Answer(const Request&)>;

}  // namespace regatta::results::hdf5
