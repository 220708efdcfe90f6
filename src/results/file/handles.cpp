#include "results/file/handles.hpp"

#include <fmt/format.h>

namespace regatta::results::hdf5 {
namespace {

constexpr std::size_t memory_increment_bytes = std::size_t{4} << 20;

// Upward, the first entry is where it went wrong; the rest is who called.
herr_t take_first(unsigned position, const H5E_error2_t* error, void* text) {
  if (position == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

void throw_hdf5_error(std::string_view action) {
  std::string why = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &why);
  throw Hdf5Error(fmt::format("cannot {}: {}", action, why));
}

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

Type text_type() {
  Type type(H5Tcopy(H5T_C_S1), "copy the text type");
  checked(H5Tset_size(type, H5T_VARIABLE), "size the text type");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "mark text as UTF-8");
  return type;
}

File create_in_memory() {
  const Properties access(H5Pcreate(H5P_FILE_ACCESS), "describe a file");
  checked(H5Pset_fapl_core(access, memory_increment_bytes, false), "keep a file in memory");
  const Properties creation(H5Pcreate(H5P_FILE_CREATE), "describe a file");
  // netCDF-4 wants the order of creation of everything; without it the file is read-only for its libraries.
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "track link order");
  checked(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "track attribute order");
  checked(H5Pset_obj_track_times(creation, false), "leave out times");
  return {H5Fcreate("results in memory", H5F_ACC_TRUNC, creation, access), "create a file in memory"};
}

std::string file_image(const File& file) {
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL), "flush a file");
  const ssize_t size = checked(H5Fget_file_image(file, nullptr, 0), "measure a file");
  std::string image(static_cast<std::size_t>(size), '\0');
  checked(H5Fget_file_image(file, image.data(), image.size()), "copy a file");
  return image;
}

File open_to_read(const std::filesystem::path& path) {
  const Properties access(H5Pcreate(H5P_FILE_ACCESS), "describe a file");
  checked(H5Pset_file_locking(access, false, true), "turn locks off");
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), "open it"};
}

}  // namespace regatta::results::hdf5
