#include <fmt/format.h>

#include <algorithm>
#include <memory_resource>
#include <new>
#include <string_view>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr std::size_t longest_attribute = std::size_t{1} << 20;

void append(std::string_view text, Texts& column) {
  column.lengths.push_back(text.size());
  column.all += text;
}

herr_t take_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  append(name, *static_cast<Texts*>(names));
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

using Arena = std::pmr::monotonic_buffer_resource;

void* take_of_arena(std::size_t size, void* arena) {
  try {
    return static_cast<Arena*>(arena)->allocate(size, 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void leave_to_arena(void*, void*) {}

Texts texts_of(const OwnVariable& variable, std::uint64_t rows) {
  Texts column;
  if (rows == 0) return column;
  std::vector<const char*> pointers(rows);
  Arena arena;  // the library allocates each text: a piece of one allocation is enough for it
  const Properties transfer(H5Pcreate(H5P_DATASET_XFER), "describe reading");
  checked(H5Pset_vlen_mem_manager(transfer, take_of_arena, &arena, leave_to_arena, nullptr), "describe reading");
  checked(H5Dread(variable.dataset, text_type(), H5S_ALL, H5S_ALL, transfer, pointers.data()),
          "read " + variable.shown);
  column.lengths.reserve(rows);
  for (const char* text : pointers) append(text == nullptr ? std::string_view() : text, column);
  return column;
}

std::string single_text(const File& file, const Request& request) {
  const OwnVariable variable = open_variable(file, request);
  const Space space(H5Dget_space(variable.dataset), "see the shape of " + variable.shown);
  if (H5Sget_simple_extent_npoints(space) != 1) throw InputError(fmt::format("{} is not one text", variable.shown));
  expect_type(variable, {H5T_STRING}, "text");
  return texts_of(variable, 1).all;
}

/// Whether the group tells in which order its variables were written.
bool knows_order(const Group& group) {
  const Properties creation(H5Gget_create_plist(group), "see how a group is stored");
  unsigned order = 0;
  checked(H5Pget_link_creation_order(creation, &order), "see the order of a group");
  return order == (H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
}

Texts variables_of(const File& file, const std::string& group_name) {
  const Group group = open_group(file, group_name);
  Texts names;
  const H5_index_t order = knows_order(group) ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  checked(H5Literate(group, order, H5_ITER_INC, nullptr, take_name, &names), "list " + group_name);
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

bool is_column(Wanted wanted) {
  return wanted == Wanted::integers || wanted == Wanted::numbers || wanted == Wanted::texts;
}

std::optional<std::string> name_behind(const Group& group, const std::string& name) {
  H5L_info_t link{};
  checked(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), "look for " + name);
  const auto next = static_cast<hsize_t>(link.corder) + 1;
  const auto name_of_next = [&](char* to, std::size_t size) {
    return H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, next, to, size, H5P_DEFAULT);
  };
  const ssize_t length = knows_order(group) ? name_of_next(nullptr, 0) : 0;
  if (length <= 0) return std::nullopt;
  std::string behind(static_cast<std::size_t>(length), '\0');
  name_of_next(behind.data(), behind.size() + 1);
  return behind;
}

Wanted wanted_of(const OwnVariable& variable) {
  const Type type(H5Dget_type(variable.dataset), "see the type of " + variable.shown);
  const H5T_class_t found = H5Tget_class(type);
  return found == H5T_STRING ? Wanted::texts : found == H5T_INTEGER ? Wanted::integers : Wanted::numbers;
}

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

std::optional<Request> column_behind(const File& file, const Request& column) {
  if (!is_column(column.wanted)) return std::nullopt;
  try {
    const Group group = open_group(file, column.group);
    const auto name = name_behind(group, column.name);
    if (!name) return std::nullopt;
    Request next{column.wanted, column.group, *name, column.rows};
    next.wanted = wanted_of(open_variable(file, next));
    return next;
  } catch (const Hdf5Error&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Ask columns_of(const File& file) {
  return [&file](const Request& request) { return answer(file, request); };
}

}  // namespace regatta::results::hdf5
