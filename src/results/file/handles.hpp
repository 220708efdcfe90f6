// The HDF5 C API with handles that close themselves and calls that throw.
#pragma once

#include <hdf5.h>
#include <hdf5_hl.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace regatta::results::hdf5 {

/// A call of the library failed; becomes StorageError when writing and InputError when reading.
struct Hdf5Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Hdf5Error with `action` and what the library says of its innermost error.
[[noreturn]] void throw_hdf5_error(std::string_view action);

/// Throws unless `status`, what a call of the library returned, is zero or more.
template <class Status>
Status checked(Status status, std::string_view action) {
  if (status < 0) throw_hdf5_error(action);
  return status;
}

/// While it lives, errors are thrown only and not printed.
class QuietErrors {
 public:
  QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors();

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Owns an identifier of the library.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle(hid_t id, std::string_view action) : id_(checked(id, action)) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): as the C API is used

 private:
  hid_t id_;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;

/// Variable-length UTF-8 text.
Type text_type();

/// A file in memory, never on disk, for writing.
File create_in_memory();

/// The bytes of a file in memory; whatever was opened inside is closed by then.
std::string file_image(const File& file);

/// Opens a file on disk for reading, without locks (which fail on network file systems).
File open_to_read(const std::filesystem::path& path);

}  // namespace regatta::results::hdf5
