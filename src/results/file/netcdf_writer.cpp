#include "results/file/netcdf_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"

namespace regatta::results::hdf5 {
namespace {

constexpr hsize_t chunk_elements = hsize_t{1} << 16;
constexpr unsigned deflate_level = 1;  // higher ones take twice the time and save some percent

// clang-format off
hid_t native_type(std::int8_t) { return H5T_NATIVE_INT8; }
hid_t native_type(std::int32_t) { return H5T_NATIVE_INT32; }
hid_t native_type(std::int64_t) { return H5T_NATIVE_INT64; }
hid_t native_type(std::uint8_t) { return H5T_NATIVE_UINT8; }
hid_t native_type(std::uint32_t) { return H5T_NATIVE_UINT32; }
hid_t native_type(double) { return H5T_NATIVE_DOUBLE; }
// clang-format on

struct Extent {
  std::vector<hsize_t> size;
  std::vector<hsize_t> largest;
};

std::size_t length_of(const Column& values) {
  return std::visit([](const auto& held) { return held.size(); }, values);
}

/// At most `chunk_elements` together: the longest side is halved until they fit.
std::vector<hsize_t> chunk_of(const Extent& extent) {
  std::vector<hsize_t> chunk = extent.size;
  for (hsize_t& side : chunk) side = std::max<hsize_t>(side, 1);
  const auto elements = [&] { return std::accumulate(chunk.begin(), chunk.end(), hsize_t{1}, std::multiplies<>()); };
  while (elements() > chunk_elements) {
    hsize_t& longest = *std::ranges::max_element(chunk);
    longest = (longest + 1) / 2;
  }
  return chunk;
}

void set_fill(hid_t creation, const FillValue& fill) {
  std::visit([&](auto value) { checked(H5Pset_fill_value(creation, native_type(value), &value), "set a fill value"); },
             fill);
}

void put_fill_attribute(hid_t dataset, const FillValue& fill) {
  const hsize_t one = 1;
  const Space space(H5Screate_simple(1, &one, nullptr), "describe an attribute");
  std::visit(
      [&](auto value) {
        const hid_t type = native_type(value);
        const Attribute attribute(H5Acreate2(dataset, "_FillValue", type, space, H5P_DEFAULT, H5P_DEFAULT),
                                  "add a fill value");
        checked(H5Awrite(attribute, type, &value), "write a fill value");
      },
      fill);
}

Properties creation_of(const Extent& extent, bool is_text, const std::optional<FillValue>& fill) {
  Properties creation(H5Pcreate(H5P_DATASET_CREATE), "describe a variable");
  checked(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "track attribute order");
  checked(H5Pset_obj_track_times(creation, false), "leave out times");
  if (fill) set_fill(creation, *fill);
  if (extent.size.empty()) return creation;
  const std::vector<hsize_t> chunk = chunk_of(extent);
  checked(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), "cut a variable into chunks");
  // Filters would see only the places of variable-length text, never the text.
  if (is_text) return creation;
  checked(H5Pset_shuffle(creation), "shuffle");
  checked(H5Pset_deflate(creation, deflate_level), "compress");
  checked(H5Pset_fletcher32(creation), "add checksums");
  return creation;
}

bool is_read_only(hid_t object) {
  const File file(H5Iget_file_id(object), "find the file");
  unsigned intent = 0;
  checked(H5Fget_intent(file, &intent), "see how a file is opened");
  return (intent & H5F_ACC_RDWR) == 0;
}

bool holds_values(hid_t dataset, hid_t type, const std::vector<std::string>& values) {
  return holds_texts(dataset, type, values);
}

template <class Number>
bool holds_values(hid_t dataset, hid_t type, const std::vector<Number>& values) {
  const Space space(H5Dget_space(dataset), "see the shape of a variable");
  if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(values.size())) return false;
  if (values.empty()) return true;
  std::vector<Number> read(values.size());
  checked(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()), "compare values");
  return std::memcmp(read.data(), values.data(), values.size() * sizeof(Number)) == 0;
}

void write_values(hid_t dataset, hid_t type, const std::vector<std::string>& values) {
  if (write_shared(dataset, type, values)) return;
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), "write text");
}

template <class Number>
void write_values(hid_t dataset, hid_t type, const std::vector<Number>& values) {
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write values");
}

template <class Value>
Type type_of(const std::vector<Value>&) {
  return {H5Tcopy(native_type(Value{})), "copy a type"};
}
Type type_of(const std::vector<std::string>&) { return text_type(); }

/// The variable that is there.
Dataset compared(hid_t group, const std::string& name, const Column& values) {
  Dataset dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "open " + name);
  const bool is_same = std::visit([&](const auto& held) { return holds_values(dataset, type_of(held), held); }, values);
  if (!is_same) throw Differs(name);
  return dataset;
}

Dataset create(hid_t group, const std::string& name, const Extent& extent, const Column& values,
               const std::optional<FillValue>& fill) {
  if (is_read_only(group)) return compared(group, name, values);
  const int rank = static_cast<int>(extent.size.size());
  const Space space(
      rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent.size.data(), extent.largest.data()),
      "describe a shape");
  const Properties creation = creation_of(extent, std::holds_alternative<std::vector<std::string>>(values), fill);
  return std::visit(
      [&](const auto& held) {
        const Type type = type_of(held);
        Dataset dataset(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                        "create " + name);
        if (fill) put_fill_attribute(dataset, *fill);
        if (!held.empty()) write_values(dataset, type, held);
        return dataset;
      },
      values);
}

Properties group_creation() {
  Properties creation(H5Pcreate(H5P_GROUP_CREATE), "describe a group");
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "track link order");
  checked(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "track attribute order");
  checked(H5Pset_obj_track_times(creation, false), "leave out times");
  return creation;
}

Group group_of(hid_t parent, const std::string& name) {
  if (is_read_only(parent)) return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open the group " + name};
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, group_creation(), H5P_DEFAULT), "create the group " + name};
}

void expect_same(bool is_same, const std::string& name) {
  if (!is_same) throw Differs(name);
}

}  // namespace

void put_attribute(hid_t object, const std::string& name, const std::string& text) {
  expect(!text.empty(), "an attribute holds text");
  if (is_read_only(object)) return expect_same(text_attribute(object, name) == text, name);
  const Type type(H5Tcopy(H5T_C_S1), "copy the text type");
  checked(H5Tset_size(type, text.size()), "size an attribute");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "mark text as UTF-8");
  const Space space(H5Screate(H5S_SCALAR), "describe an attribute");
  const Attribute attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), "add " + name);
  checked(H5Awrite(attribute, type, text.data()), "write " + name);
}

void put_attribute(hid_t object, const std::string& name, std::int64_t number) {
  if (is_read_only(object)) return expect_same(integer_attribute(object, name) == number, name);
  const Space space(H5Screate(H5S_SCALAR), "describe an attribute");
  const Attribute attribute(H5Acreate2(object, name.c_str(), H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT),
                            "add " + name);
  checked(H5Awrite(attribute, H5T_NATIVE_INT64, &number), "write " + name);
}

Variable& Variable::text(const std::string& attribute, const std::string& value) {
  put_attribute(dataset_, attribute, value);
  return *this;
}

Variable& Variable::describe(const std::string& long_name) { return text("long_name", long_name); }

Variable& Variable::unit(const std::string& unit) { return text("units", unit); }

Variable& Variable::flags(const std::vector<std::string>& meanings) {
  std::vector<std::int8_t> values(meanings.size());
  std::iota(values.begin(), values.end(), std::int8_t{0});
  return number_meanings("flag_values", values, meanings);
}

Variable& Variable::bits(const std::vector<std::string>& meanings) {
  std::vector<std::uint8_t> values;
  for (std::size_t i = 0; i < meanings.size(); ++i) values.push_back(static_cast<std::uint8_t>(1U << i));
  return number_meanings("flag_masks", values, meanings);
}

template <class Value>
Variable& Variable::number_meanings(const char* attribute, const std::vector<Value>& values,
                                    const std::vector<std::string>& meanings) {
  if (is_read_only(dataset_)) return text("flag_meanings", fmt::format("{}", fmt::join(meanings, " ")));
  const hid_t type = std::is_signed_v<Value> ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
  const hsize_t count = values.size();
  const Space space(H5Screate_simple(1, &count, nullptr), "describe an attribute");
  const Attribute added(H5Acreate2(dataset_, attribute, type, space, H5P_DEFAULT, H5P_DEFAULT), "add an attribute");
  checked(H5Awrite(added, type, values.data()), "write an attribute");
  return text("flag_meanings", fmt::format("{}", fmt::join(meanings, " ")));
}

GroupWriter::GroupWriter(hid_t parent, const std::string& name)
    : group_(group_of(parent, name)), compares_(is_read_only(parent)) {}

Variable GroupWriter::dimension(const std::string& name, const Column& coordinates, bool growing) {
  const hsize_t size = length_of(coordinates);
  Dataset scale = create(group_, name, {{size}, {growing ? H5S_UNLIMITED : size}}, coordinates, std::nullopt);
  if (!compares_) checked(H5DSset_scale(scale, name.c_str()), "make a dimension of " + name);
  dimensions_.push_back({name, size, growing, std::move(scale)});
  return Variable({H5Dopen2(group_, name.c_str(), H5P_DEFAULT), "open " + name});
}

Variable GroupWriter::rows(const std::string& name, std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return dimension(name, numbers, true);
}

const GroupWriter::Dimension& GroupWriter::find(const std::string& name) const {
  const auto found = std::ranges::find(dimensions_, name, &Dimension::name);
  expect(found != dimensions_.end(), "a variable's dimension exists");
  return *found;
}

Variable GroupWriter::variable(const std::string& name, const std::vector<std::string>& dimensions,
                               const Column& values, const std::optional<FillValue>& fill) {
  Extent extent;
  hsize_t elements = 1;
  for (const std::string& dimension : dimensions) {
    const Dimension& found = find(dimension);
    extent.size.push_back(found.size);
    extent.largest.push_back(found.growing ? H5S_UNLIMITED : found.size);
    elements *= found.size;
  }
  expect(elements == length_of(values), "a variable has a value for each place");
  Dataset dataset = create(group_, name, extent, values, fill);
  for (unsigned axis = 0; axis < dimensions.size() && !compares_; ++axis) {
    checked(H5DSattach_scale(dataset, find(dimensions[axis]).scale, axis), "attach a dimension to " + name);
  }
  return Variable(std::move(dataset));
}

}  // namespace regatta::results::hdf5
