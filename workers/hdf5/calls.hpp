// Calls of the HDF5 library that may fail. Identifiers are not given back: the process ends soon.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <string>

#include "regatta/base/error.hpp"

namespace regatta::data {

/// The identifier or count that a call returned. Throws InputError with the library's reason if it failed.
inline hid_t checked(hid_t status, const char* what) {
  if (status >= 0) return status;
  std::string why = "no reason given";
  const auto keep = [](unsigned, const H5E_error2_t* error, void* to) {
    if (error->desc != nullptr) *static_cast<std::string*>(to) = error->desc;
    return herr_t{0};
  };
  ::H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep, &why);  // the innermost comes last
  throw InputError(fmt::format("the HDF5 library cannot {} ({}); get the file again", what, why));
}

}  // namespace regatta::data
