// The program regatta-read-hdf5: datasets of a file in memory that it shares with who asked
// (regatta/data/hdf5_answer.hpp). The library crashes on some damaged files, and loading it takes time that no worker
// should pay for.
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "calls.hpp"
#include "meaning.hpp"
#include "regatta/base/confined_child.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/units.hpp"
#include "regatta/data/hdf5_answer.hpp"
#include "texts.hpp"

namespace regatta::data {

namespace {

constexpr std::uint64_t most_chunk_bytes = std::uint64_t{1} << 28;  // unpacked as a whole
constexpr std::uint64_t most_unpacked = 1032;                       // times as long as deflated
constexpr std::size_t most_names_bytes = 256;
constexpr int argument_count = 5;

struct Request {
  std::string path;
  std::string dataset;  ///< empty: "x", and "y" and their test parts where they are there
  std::uint64_t memory_cap_bytes;
};

struct Reading {
  ElementType type;
  hid_t memory_type;
};

/// As NumPy's arrays are read (docs/guide/your-data.md); nothing for what is no number. An enumeration, such as h5py's
/// bool, is the whole numbers that it is made of: the library converts them.
std::optional<Reading> reading_of(hid_t type) {
  const std::size_t size = ::H5Tget_size(type);
  const H5T_class_t kind = ::H5Tget_class(type);
  if (kind == H5T_ENUM) return reading_of(checked(::H5Tget_super(type), "read its type"));
  if (kind == H5T_FLOAT && size <= sizeof(float)) return Reading{ElementType::float32, H5T_NATIVE_FLOAT};
  if (kind == H5T_FLOAT && size <= sizeof(double)) return Reading{ElementType::float64, H5T_NATIVE_DOUBLE};
  if (kind != H5T_INTEGER || size > sizeof(std::int64_t)) return std::nullopt;
  const bool is_signed = ::H5Tget_sign(type) != H5T_SGN_NONE;
  if (size == 1 && !is_signed) return Reading{ElementType::uint8, H5T_NATIVE_UINT8};
  if (size < sizeof(std::int32_t) || (size == sizeof(std::int32_t) && is_signed))
    return Reading{ElementType::int32, H5T_NATIVE_INT32};
  return Reading{ElementType::int64, H5T_NATIVE_INT64};
}

H5T_conv_ret_t refuse_what_does_not_fit(H5T_conv_except_t what, hid_t, hid_t, void*, void*, void*) {
  const bool does_not_fit = what == H5T_CONV_EXCEPT_RANGE_HI || what == H5T_CONV_EXCEPT_RANGE_LOW;
  return does_not_fit ? H5T_CONV_ABORT : H5T_CONV_UNHANDLED;
}

/// Numbers that stand in this file, in pieces that fit into memory.
void check_storage(hid_t dataset, std::size_t element_bytes) {
  const hid_t creation = checked(::H5Dget_create_plist(dataset), "read how it is stored");
  const H5D_layout_t layout = ::H5Pget_layout(creation);
  if (layout == H5D_VIRTUAL || ::H5Pget_external_count(creation) != 0)
    throw InputError("its numbers lie in other files (they are not followed); save it in one file");
  if (layout != H5D_CHUNKED) return;
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  const int axes = static_cast<int>(checked(::H5Pget_chunk(creation, H5S_MAX_RANK, sizes.data()), "read its chunks"));
  std::uint64_t left = most_chunk_bytes / std::max<std::size_t>(element_bytes, 1);
  for (int axis = 0; axis < axes; ++axis) left /= std::max<hsize_t>(sizes[static_cast<std::size_t>(axis)], 1);
  if (left > 0) return;
  throw InputError(
      fmt::format("its chunks take more than {} each (each is unpacked as a whole); save it in smaller ones",
                  format_size(most_chunk_bytes)));
}

class Reader {
 public:
  Reader(const Request& request, Hdf5Answer& answer) : request_(request), answer_(answer) {}

  void read() {
    ::H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    ::H5PLset_loading_state(0);  // a filter that a file names is no reason to run one
    const hid_t access = checked(::H5Pcreate(H5P_FILE_ACCESS), "begin");
    checked(::H5Pset_file_locking(access, false, true), "turn locks off");  // locks fail on network file systems
    file_ = checked(::H5Fopen(request_.path.c_str(), H5F_ACC_RDONLY, access), "open it");
    open_no_more_files();
    const std::vector<std::string> names = hdf5_names(request_.dataset);
    for (std::size_t i = 0; i < names.size(); ++i) {
      refuse_links(names[i]);
      const bool is_there = ::H5Lexists(file_, names[i].c_str(), H5P_DEFAULT) > 0;
      if (is_there) read_array(names[i], answer_.arrays[i]);
      if (!is_there && i == 0) refuse_missing(names[i]);
    }
    answer_.is_complete = true;
  }

 private:
  const Request& request_;
  Hdf5Answer& answer_;
  hid_t file_ = H5I_INVALID_HID;
  std::uint64_t end_ = hdf5_answer_bytes;

  [[noreturn]] void refuse_missing(const std::string& name) const {
    std::string names;
    const auto add = [](hid_t, const char* each, const H5L_info_t*, void* to) {
      auto& all = *static_cast<std::string*>(to);
      all += all.empty() ? each : fmt::format(", {}", each);
      return herr_t{all.size() > most_names_bytes};  // 1 ends it
    };
    ::H5Literate(file_, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names);
    throw InputError(fmt::format("it has no dataset {} (it holds: {}); name one, as FILE.h5:/DATASET", name,
                                 names.empty() ? "nothing" : names));
  }

  /// Data in other files are not read: each part of the way may be a link to such ones.
  void refuse_links(const std::string& name) const {
    for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
      const std::string part = name.substr(0, end);
      if (::H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) return;
      H5L_info_t link{};
      checked(::H5Lget_info(file_, part.c_str(), &link, H5P_DEFAULT), "read a link");
      if (link.type != H5L_TYPE_HARD && link.type != H5L_TYPE_SOFT)
        throw InputError(fmt::format(
            "{} is a link to another file (such links are refused); name that file, or copy the data into this one",
            part));
      if (::H5Oexists_by_name(file_, part.c_str(), H5P_DEFAULT) <= 0)
        throw InputError(fmt::format("{} is a link to nothing in this file; name a dataset that is there", part));
      if (end == std::string::npos) return;
    }
  }

  void read_array(const std::string& name, Hdf5Array& found) {
    try {
      fill_array(name, found);
    } catch (const InputError& error) {
      throw InputError(fmt::format("dataset {}: {}", name, error.what()));
    }
  }

  void fill_array(const std::string& name, Hdf5Array& found) {
    const hid_t dataset = checked(::H5Dopen2(file_, name.c_str(), H5P_DEFAULT), "open it");
    const hid_t type = checked(::H5Dget_type(dataset), "read its type");
    check_storage(dataset, ::H5Tget_size(type));
    refuse_other_meanings(dataset);
    if (holds_texts(type)) return fill_texts(dataset, type, found);
    const auto reading = reading_of(type);
    if (!reading) refuse_type(type);
    const std::uint64_t bytes = take_shape(dataset, size_of(reading->type), found);
    check_claim(dataset, bytes);
    found.type = reading->type;
    found.first_axis_is_fastest = found.axes > 1 && is_of_matlab(dataset);
    void* const to = make_room(bytes, found.offset);
    const hid_t transfer = checked(::H5Pcreate(H5P_DATASET_XFER), "begin");
    checked(::H5Pset_type_conv_cb(transfer, refuse_what_does_not_fit, nullptr), "begin");
    checked(::H5Dread(dataset, reading->memory_type, H5S_ALL, H5S_ALL, transfer, to), "read it");
    refuse_missing_numbers(dataset, reading->memory_type, to, bytes);
  }

  [[noreturn]] static void refuse_type(hid_t type) {
    if (::H5Tget_class(type) == H5T_COMPOUND)
      throw InputError("it is a table of records (pandas writes such ones); save each column as an array, or as CSV");
    throw InputError("it holds no whole numbers, no floats of at most 64 bits and no texts; convert it");
  }

  void fill_texts(hid_t dataset, hid_t type, Hdf5Array& found) {
    const std::uint64_t bytes = take_shape(dataset, sizeof(std::int32_t), found);
    const std::uint64_t rows = bytes / sizeof(std::int32_t);
    if (rows != found.sizes.front() || found.axes > 2)
      throw InputError("it has several texts in a row; save each column as a dataset of its own");
    check_claim(dataset, rows * ::H5Tget_size(type));
    const std::uint64_t used = end_ - hdf5_answer_bytes + bytes;
    const std::uint64_t left = request_.memory_cap_bytes - std::min(request_.memory_cap_bytes, used);
    const Texts texts = read_texts(dataset, type, rows, left);
    found.type = ElementType::int32;
    std::memcpy(make_room(bytes, found.offset), texts.codes.data(), bytes);
    found.axes = 1;
    found.texts_bytes = texts.categories.size();
    std::memcpy(make_room(found.texts_bytes, found.texts_offset), texts.categories.data(), found.texts_bytes);
  }

  /// Shared memory behind all that is in use.
  void* make_room(std::uint64_t bytes, std::uint64_t& offset) {
    offset = end_;
    end_ = whole_pages(end_ + bytes);
    if (::ftruncate(link_of_child, static_cast<off_t>(end_)) != 0) throw InputError("there is no memory for it");
    void* const to =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, link_of_child, static_cast<off_t>(offset));
    if (to == MAP_FAILED) throw InputError("there is no memory for it");
    return to;
  }

  /// A small file that claims much would have the rest filled in.
  void check_claim(hid_t dataset, std::uint64_t bytes) const {
    hsize_t file_bytes = 0;
    checked(::H5Fget_filesize(file_, &file_bytes), "read its size");
    const hsize_t stored = std::min<hsize_t>(::H5Dget_storage_size(dataset), file_bytes);
    if (bytes / most_unpacked <= stored) return;
    throw InputError(fmt::format("it claims {}, where the file holds {} of it (not even packed); get the file again",
                                 format_size(bytes), format_size(stored)));
  }

  /// The bytes that its numbers take in memory, which the cap allows.
  std::uint64_t take_shape(hid_t dataset, std::size_t element_bytes, Hdf5Array& found) const {
    const hid_t space = checked(::H5Dget_space(dataset), "read its shape");
    const int axes = ::H5Sget_simple_extent_ndims(space);
    if (axes < 1 || ::H5Sget_simple_extent_type(space) != H5S_SIMPLE)
      throw InputError("it has no rows (it holds one number, or none); save an array");
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    checked(::H5Sget_simple_extent_dims(space, sizes.data(), nullptr), "read its shape");
    const std::uint64_t cap = request_.memory_cap_bytes - std::min(request_.memory_cap_bytes, end_ - hdf5_answer_bytes);
    std::uint64_t bytes = element_bytes;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
      found.sizes.at(axis) = sizes[axis];
      if (sizes[axis] == 0) throw InputError("one of its sizes is 0; save an array with numbers");
      if (bytes > cap / sizes[axis])
        throw InputError(fmt::format("it takes more than {} of memory to read; allow more memory, or use a smaller one",
                                     format_size(request_.memory_cap_bytes)));
      bytes *= sizes[axis];
    }
    found.axes = static_cast<std::uint32_t>(axes);
    return bytes;
  }
};

/// Writes the datasets that were read, or the reason why they were not.
void answer(const Request& request, Hdf5Answer& to) {
  try {
    return Reader(request, to).read();
  } catch (const std::bad_alloc&) {
    constexpr const char* why =
        "the HDF5 library takes more memory than any whole file needs (it is damaged); get the file again";
    std::strncpy(to.refusal.data(), why, to.refusal.size() - 1);
  } catch (const std::exception& error) {
    std::strncpy(to.refusal.data(), error.what(), to.refusal.size() - 1);
  }
}

}  // namespace
}  // namespace regatta::data

int main(int argc, char** argv) {
  using namespace regatta::data;
  if (argc != argument_count) return regatta::exit_code::bad_input;  // it is called by regatta-worker alone
  const Request request{argv[1], argv[2], std::strtoull(argv[3], nullptr, 10)};
  const std::uint64_t written_bytes = hdf5_answer_bytes + request.memory_cap_bytes + 8 * hdf5_page_bytes;
  regatta::limit_child({written_bytes + hdf5_library_bytes, std::strtod(argv[4], nullptr), written_bytes});
  void* const shared =
      ::mmap(nullptr, hdf5_answer_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, regatta::link_of_child, 0);
  if (shared == MAP_FAILED) return regatta::exit_code::our_mistake;
  answer(request, *static_cast<Hdf5Answer*>(shared));
  ::_exit(0);  // the library's own end could crash as well
}
