#include "meaning.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "calls.hpp"

namespace regatta::data {
namespace {

constexpr const char* matlab_class = "MATLAB_class";
constexpr std::size_t most_number_bytes = 8;

bool has(hid_t dataset, const char* attribute) { return ::H5Aexists(dataset, attribute) > 0; }

bool holds_one(hid_t attribute) { return ::H5Sget_simple_extent_npoints(::H5Aget_space(attribute)) == 1; }

/// A short text of fixed length; empty for all else.
std::string text_of(hid_t dataset, const char* name) {
  constexpr std::size_t most_bytes = 64;
  const hid_t attribute = checked(::H5Aopen(dataset, name, H5P_DEFAULT), "read an attribute");
  const hid_t type = checked(::H5Aget_type(attribute), "read an attribute");
  if (::H5Tget_class(type) != H5T_STRING || ::H5Tis_variable_str(type) > 0 || !holds_one(attribute)) return {};
  const hid_t memory = checked(::H5Tcopy(H5T_C_S1), "begin");
  checked(::H5Tset_size(memory, most_bytes), "begin");
  checked(::H5Tset_cset(memory, ::H5Tget_cset(type)), "begin");
  std::array<char, most_bytes + 1> text{};
  checked(::H5Aread(attribute, memory, text.data()), "read an attribute");
  return text.data();
}

/// Not a number has many bits, and tells by itself that a value is missing.
bool is_nan(hid_t memory_type, const char* number, std::size_t bytes) {
  if (::H5Tget_class(memory_type) != H5T_FLOAT) return false;
  if (bytes == sizeof(float)) {
    float value;
    std::memcpy(&value, number, sizeof value);
    return std::isnan(value);
  }
  double value;
  std::memcpy(&value, number, sizeof value);
  return std::isnan(value);
}

}  // namespace

bool is_of_matlab(hid_t dataset) { return has(dataset, matlab_class); }

void refuse_other_meanings(hid_t dataset) {
  if (has(dataset, "scale_factor") || has(dataset, "add_offset"))
    throw InputError("its numbers are packed (attributes scale_factor, add_offset); save the unpacked numbers");
  if (has(dataset, "MATLAB_empty")) throw InputError("it is an empty array of MATLAB; save an array with numbers");
  if (has(dataset, matlab_class) && text_of(dataset, matlab_class) == "char")
    throw InputError("it is a text of MATLAB, stored as numbers; save numbers, one for each row");
}

void refuse_missing_numbers(hid_t dataset, hid_t memory_type, const void* numbers, std::uint64_t bytes) {
  const std::size_t size = ::H5Tget_size(memory_type);
  for (const char* const name : {"_FillValue", "missing_value"}) {
    if (size > most_number_bytes || !has(dataset, name)) continue;
    const hid_t attribute = checked(::H5Aopen(dataset, name, H5P_DEFAULT), "read an attribute");
    const H5T_class_t kind = ::H5Tget_class(checked(::H5Aget_type(attribute), "read an attribute"));
    if (!holds_one(attribute) || (kind != H5T_INTEGER && kind != H5T_FLOAT)) continue;
    std::array<char, most_number_bytes> missing{};
    checked(::H5Aread(attribute, memory_type, missing.data()), "read an attribute");
    if (is_nan(memory_type, missing.data(), size)) continue;
    const char* const first = static_cast<const char*>(numbers);
    for (std::uint64_t at = 0; at + size <= bytes; at += size) {
      if (std::memcmp(first + at, missing.data(), size) != 0) continue;
      throw InputError(fmt::format("number {} (counted from 0) is missing (it is the {}); fill it in, or save NaN",
                                   at / size, name));
    }
  }
}

}  // namespace regatta::data
