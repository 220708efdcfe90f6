// Groups, dimensions and variables as netCDF-4 stores them in HDF5: each dimension is a dimension scale with its
// coordinates, each variable is attached to the scales of its axes, and the order of creation is tracked.
//
// In a file that is opened to read the same calls write nothing: they compare what stands there with what they would
// write, and throw Differs. So a file is verified column by column, by who wrote it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "results/file/handles.hpp"

namespace regatta::results::hdf5 {

/// The values of a variable, in row-major order; their type is the variable's.
using Column =
    std::variant<std::vector<std::int8_t>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                 std::vector<std::uint8_t>, std::vector<std::uint32_t>, std::vector<double>, std::vector<std::string>>;

/// The value that stands for "no value", in the variable's type.
using FillValue = std::variant<std::int8_t, std::int64_t, double>;

/// Something else stands in the file; what() says where.
struct Differs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void put_attribute(hid_t object, const std::string& name, const std::string& text);  ///< `text` is not empty
void put_attribute(hid_t object, const std::string& name, std::int64_t number);

/// A dataset being described.
class Variable {
 public:
  explicit Variable(Dataset dataset) : dataset_(std::move(dataset)) {}
  Variable& describe(const std::string& long_name);
  Variable& unit(const std::string& unit);
  Variable& text(const std::string& attribute, const std::string& value);
  /// Values 0, 1, ... of an int8 variable and their meanings (CF: flag_values, flag_meanings).
  Variable& flags(const std::vector<std::string>& meanings);
  /// Bits 1, 2, 4, ... of a uint8 variable and their meanings (CF: flag_masks, flag_meanings).
  Variable& bits(const std::vector<std::string>& meanings);

 private:
  template <class Value>
  Variable& number_meanings(const char* attribute, const std::vector<Value>& values,
                            const std::vector<std::string>& meanings);

  Dataset dataset_;
};

class GroupWriter {
 public:
  GroupWriter(hid_t parent, const std::string& name);

  [[nodiscard]] hid_t id() const { return group_; }

  /// A dimension of the size of its coordinates; `growing` makes it unlimited, as tables are.
  Variable dimension(const std::string& name, const Column& coordinates, bool growing);

  /// A table's dimension, numbered 0, 1, ...
  Variable rows(const std::string& name, std::size_t count);

  /// A variable on dimensions of this group; a single value if it has none.
  Variable variable(const std::string& name, const std::vector<std::string>& dimensions, const Column& values,
                    const std::optional<FillValue>& fill = std::nullopt);

 private:
  struct Dimension {
    std::string name;
    hsize_t size;
    bool growing;
    Dataset scale;
  };
  [[nodiscard]] const Dimension& find(const std::string& name) const;

  Group group_;
  bool compares_;  ///< the file is opened to read
  std::vector<Dimension> dimensions_;
};

}  // namespace regatta::results::hdf5
