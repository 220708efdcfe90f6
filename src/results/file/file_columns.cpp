#include "results/file/file_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr std::size_t longest_attribute = std::size_t{1} << 20;

herr_t take_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

/// Whether `name` is in `group`. Only what is in this very file counts: another kind of link leads anywhere.
bool holds(hid_t group, const std::string& name, const std::string& shown) {
  if (checked(H5Lexists(group, name.c_str(), H5P_DEFAULT), "look for " + shown) == 0) return false;
  H5L_info_t link{};
  checked(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), "look for " + shown);
  if (link.type == H5L_TYPE_HARD) return true;
  throw InputError(fmt::format("{} is a link{} (Regatta writes none, and a link may lead to any file)", shown,
                               link.type == H5L_TYPE_EXTERNAL ? " to another file"
                               : link.type == H5L_TYPE_SOFT   ? " to a path"
                                                              : ""));
}

Group open_group(const File& file, const std::string& name) {
  const std::string shown = "the group /" + name;
  if (!holds(file, name, shown)) throw InputError(fmt::format("the group /{} is missing", name));
  return {H5Gopen2(file, name.c_str(), H5P_DEFAULT), "open " + shown};
}

void expect_own_storage(const Dataset& dataset, const std::string& shown) {
  const Properties creation(H5Dget_create_plist(dataset), "see how " + shown + " is stored");
  if (checked(H5Pget_external_count(creation), "see where " + shown + " is stored") > 0)
    throw InputError(
        fmt::format("{} is stored in another file (Regatta writes no such thing; any file may be read "
                    "that way)",
                    shown));
  if (H5Pget_layout(creation) == H5D_VIRTUAL)
    throw InputError(
        fmt::format("{} is put together from other files (Regatta writes no such thing; any file may be "
                    "read that way)",
                    shown));
}

/// A variable of a file, opened and known to lie in it.
struct OwnVariable {
  std::string shown;  // /group/name
  Dataset dataset;
};

OwnVariable open_variable(const File& file, const Request& request) {
  const Group group = open_group(file, request.group);
  std::string shown = fmt::format("/{}/{}", request.group, request.name);
  if (!holds(group, request.name, shown))
    throw InputError(fmt::format("/{} lacks the variable '{}'", request.group, request.name));
  OwnVariable variable{shown, {H5Dopen2(group, request.name.c_str(), H5P_DEFAULT), "open " + shown}};
  expect_own_storage(variable.dataset, shown);
  return variable;
}

/// Every row takes a byte of the file at least: what claims more is damaged, and must not become an allocation.
hssize_t most_rows(const File& file) {
  hsize_t bytes = 0;
  checked(H5Fget_filesize(file, &bytes), "measure the file");
  return static_cast<hssize_t>(bytes);
}

std::int64_t length_of(const File& file, const OwnVariable& variable) {
  const Space space(H5Dget_space(variable.dataset), "see the shape of " + variable.shown);
  const hssize_t length = H5Sget_simple_extent_npoints(space);
  if (H5Sget_simple_extent_ndims(space) != 1 || length < 0 || length > most_rows(file))
    throw InputError(fmt::format("{} is not one column of a sane length", variable.shown));
  return length;
}

void expect_type(const OwnVariable& variable, std::initializer_list<H5T_class_t> classes, const char* kind) {
  const Type type(H5Dget_type(variable.dataset), "see the type of " + variable.shown);
  const H5T_class_t found = H5Tget_class(type);
  const bool is_text = found == H5T_STRING;
  if (std::ranges::find(classes, found) != classes.end() && (!is_text || H5Tis_variable_str(type) > 0)) return;
  throw InputError(fmt::format("{} does not hold {}", variable.shown, kind));
}

/// A column of `rows` values, which may be put into memory.
OwnVariable open_column(const File& file, const Request& request, std::initializer_list<H5T_class_t> classes,
                        const char* kind) {
  OwnVariable variable = open_variable(file, request);
  const std::int64_t length = length_of(file, variable);
  if (static_cast<std::uint64_t>(length) != request.rows)
    throw InputError(fmt::format("{} has {} rows, not {}", variable.shown, length, request.rows));
  expect_type(variable, classes, kind);
  return variable;
}

template <class Value>
std::vector<Value> values_of(const OwnVariable& variable, std::uint64_t rows, hid_t type) {
  std::vector<Value> values(rows);
  if (rows > 0)
    checked(H5Dread(variable.dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read " + variable.shown);
  return values;
}

/// `rows` texts; the library's copies of them are freed.
std::vector<std::string> texts_of(const OwnVariable& variable, std::uint64_t rows) {
  std::vector<std::string> values(rows);
  if (rows == 0) return values;
  const Type type = text_type();
  const Space space(H5Dget_space(variable.dataset), "see the shape of " + variable.shown);
  std::vector<char*> pointers(rows);
  checked(H5Dread(variable.dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), "read " + variable.shown);
  for (std::size_t i = 0; i < rows; ++i) values[i] = pointers[i] == nullptr ? "" : pointers[i];
  checked(H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data()), "free text");
  return values;
}

std::string single_text(const File& file, const Request& request) {
  const OwnVariable variable = open_variable(file, request);
  const Space space(H5Dget_space(variable.dataset), "see the shape of " + variable.shown);
  if (H5Sget_simple_extent_npoints(space) != 1) throw InputError(fmt::format("{} is not one text", variable.shown));
  expect_type(variable, {H5T_STRING}, "text");
  return std::move(texts_of(variable, 1).front());
}

std::vector<std::string> variables_of(const File& file, const std::string& group_name) {
  const Group group = open_group(file, group_name);
  std::vector<std::string> names;
  checked(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, take_name, &names), "list " + group_name);
  return names;
}

/// Whether an attribute is one value of the class, no longer than a title may be.
bool is_single(const Attribute& attribute, const Type& type, H5T_class_t expected, const std::string& name) {
  const Space space(H5Aget_space(attribute), "see the shape of " + name);
  return H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == expected &&
         H5Tget_size(type) <= longest_attribute;
}

template <class Value>
Answer answer_if_any(std::optional<Value> value) {
  if (!value) return std::monostate();
  return std::move(*value);
}

Answer one_if(bool found) { return found ? Answer(std::int64_t{1}) : Answer(); }

}  // namespace

std::optional<std::string> text_attribute(hid_t object, const std::string& name) {
  if (checked(H5Aexists(object, name.c_str()), "look for " + name) == 0) return std::nullopt;
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open " + name);
  const Type type(H5Aget_type(attribute), "see the type of " + name);
  if (!is_single(attribute, type, H5T_STRING, name) || H5Tis_variable_str(type) != 0) return std::nullopt;
  std::string text(H5Tget_size(type), '\0');
  checked(H5Aread(attribute, type, text.data()), "read " + name);
  return text;
}

std::optional<std::int64_t> integer_attribute(hid_t object, const std::string& name) {
  if (checked(H5Aexists(object, name.c_str()), "look for " + name) == 0) return std::nullopt;
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open " + name);
  const Type type(H5Aget_type(attribute), "see the type of " + name);
  if (!is_single(attribute, type, H5T_INTEGER, name)) return std::nullopt;
  std::int64_t value = 0;
  checked(H5Aread(attribute, H5T_NATIVE_INT64, &value), "read " + name);
  return value;
}

Answer answer(const File& file, const Request& request) {
  switch (request.wanted) {
    case Wanted::root_text:
      return answer_if_any(text_attribute(file, request.name));
    case Wanted::root_integer:
      return answer_if_any(integer_attribute(file, request.name));
    case Wanted::group:
      return one_if(holds(file, request.group, "the group /" + request.group));
    case Wanted::variables:
      return variables_of(file, request.group);
    case Wanted::variable:
      return one_if(holds(open_group(file, request.group), request.name, "the variable " + request.name));
    case Wanted::length:
      return length_of(file, open_variable(file, request));
    case Wanted::fill_value:
      return answer_if_any(integer_attribute(open_variable(file, request).dataset, "_FillValue"));
    case Wanted::integers:
      return values_of<std::int64_t>(open_column(file, request, {H5T_INTEGER}, "integers"), request.rows,
                                     H5T_NATIVE_INT64);
    case Wanted::numbers:
      return values_of<double>(open_column(file, request, {H5T_FLOAT, H5T_INTEGER}, "numbers"), request.rows,
                               H5T_NATIVE_DOUBLE);
    case Wanted::texts:
      return texts_of(open_column(file, request, {H5T_STRING}, "text"), request.rows);
    case Wanted::text:
      return single_text(file, request);
  }
  throw InputError("nobody asks for that");
}

Ask columns_of(const File& file) {
  return [&file](const Request& request) { return answer(file, request); };
}

}  // namespace regatta::results::hdf5
