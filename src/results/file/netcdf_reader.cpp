#include "results/file/netcdf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr hssize_t most_rows = hssize_t{1} << 30;  // a damaged size must not become an allocation
constexpr std::size_t longest_attribute = std::size_t{1} << 20;

herr_t take_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

std::optional<std::string> text_attribute(hid_t object, const std::string& name) {
  if (checked(H5Aexists(object, name.c_str()), "look for " + name) == 0) return std::nullopt;
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open " + name);
  const Type type(H5Aget_type(attribute), "see the type of " + name);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size > longest_attribute)
    return std::nullopt;
  std::string text(size, '\0');
  checked(H5Aread(attribute, type, text.data()), "read " + name);
  return text;
}

std::optional<std::int64_t> integer_attribute(hid_t object, const std::string& name) {
  if (checked(H5Aexists(object, name.c_str()), "look for " + name) == 0) return std::nullopt;
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open " + name);
  const Space space(H5Aget_space(attribute), "see the shape of " + name);
  if (H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
  std::int64_t value = 0;
  checked(H5Aread(attribute, H5T_NATIVE_INT64, &value), "read " + name);
  return value;
}

bool has_group(hid_t file, const std::string& name) {
  return checked(H5Lexists(file, name.c_str(), H5P_DEFAULT), "look for the group " + name) > 0;
}

GroupReader::GroupReader(hid_t file, std::string name, const std::string& rows)
    : file_(file),
      name_(std::move(name)),
      group_(H5Gopen2(file, name_.c_str(), H5P_DEFAULT), "open the group " + name_) {
  if (!rows.empty()) rows_ = length_of(rows);
}

GroupReader GroupReader::along(const std::string& rows) const { return {file_, name_, rows}; }

bool GroupReader::has(const std::string& variable) const {
  return checked(H5Lexists(group_, variable.c_str(), H5P_DEFAULT), "look for " + variable) > 0;
}

std::vector<std::string> GroupReader::variables() const {
  std::vector<std::string> names;
  checked(H5Literate(group_, H5_INDEX_NAME, H5_ITER_INC, nullptr, take_name, &names), "list " + name_);
  return names;
}

Dataset GroupReader::open(const std::string& variable) const {
  if (!has(variable)) throw InputError(fmt::format("/{} lacks the variable '{}'", name_, variable));
  return {H5Dopen2(group_, variable.c_str(), H5P_DEFAULT), fmt::format("open /{}/{}", name_, variable)};
}

std::size_t GroupReader::length_of(const std::string& variable) const {
  const Dataset dataset = open(variable);
  const Space space(H5Dget_space(dataset), "see the shape of " + variable);
  const hssize_t length = H5Sget_simple_extent_npoints(space);
  if (H5Sget_simple_extent_ndims(space) != 1 || length < 0 || length > most_rows) {
    throw InputError(fmt::format("/{}/{} is not one column of a sane length", name_, variable));
  }
  return static_cast<std::size_t>(length);
}

void GroupReader::expect_rows(const std::string& variable) const {
  const std::size_t length = length_of(variable);
  if (length != rows_) throw InputError(fmt::format("/{}/{} has {} rows, not {}", name_, variable, length, rows_));
}

std::vector<std::int64_t> GroupReader::integers(const std::string& variable) const {
  expect_rows(variable);
  std::vector<std::int64_t> values(rows_);
  if (rows_ > 0) {
    checked(H5Dread(open(variable), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
            fmt::format("read /{}/{}", name_, variable));
  }
  return values;
}

std::vector<double> GroupReader::numbers(const std::string& variable) const {
  expect_rows(variable);
  std::vector<double> values(rows_);
  if (rows_ > 0) {
    checked(H5Dread(open(variable), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
            fmt::format("read /{}/{}", name_, variable));
  }
  return values;
}

std::vector<std::string> GroupReader::texts(const std::string& variable) const {
  expect_rows(variable);
  std::vector<std::string> values(rows_);
  if (rows_ == 0) return values;
  const Dataset dataset = open(variable);
  const Type type = text_type();
  const Space space(H5Dget_space(dataset), "see the shape of " + variable);
  std::vector<char*> pointers(rows_);
  checked(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()),
          fmt::format("read /{}/{}", name_, variable));
  for (std::size_t i = 0; i < rows_; ++i) values[i] = pointers[i] == nullptr ? "" : pointers[i];
  checked(H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data()), "free text");
  return values;
}

std::vector<std::int64_t> GroupReader::integers_in(const std::string& variable, std::int64_t lowest,
                                                   std::size_t end) const {
  std::vector<std::int64_t> values = integers(variable);
  for (std::int64_t value : values) {
    if (value >= lowest && value < static_cast<std::int64_t>(end)) continue;
    throw InputError(fmt::format("/{}/{} holds {}, which is not in [{}, {})", name_, variable, value, lowest, end));
  }
  return values;
}

std::optional<std::int64_t> GroupReader::fill_of(const std::string& variable) const {
  return integer_attribute(open(variable), "_FillValue");
}

std::string GroupReader::text(const std::string& variable) const {
  const Dataset dataset = open(variable);
  const Space space(H5Dget_space(dataset), "see the shape of " + variable);
  if (H5Sget_simple_extent_npoints(space) != 1)
    throw InputError(fmt::format("/{}/{} is not one text", name_, variable));
  const Type type = text_type();
  char* pointer = nullptr;
  checked(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), fmt::format("read /{}/{}", name_, variable));
  std::string value = pointer == nullptr ? "" : pointer;
  checked(H5Dvlen_reclaim(type, space, H5P_DEFAULT, &pointer), "free text");
  return value;
}

std::vector<Hash128> hashes(const GroupReader& group, const std::string& variable) {
  std::vector<Hash128> ids;
  for (const std::string& text : group.texts(variable)) {
    const auto id = parse_hash128(text);
    if (!id) throw InputError(fmt::format("{} holds '{}', which is no id", variable, text));
    ids.push_back(*id);
  }
  return ids;
}

}  // namespace regatta::results::hdf5
