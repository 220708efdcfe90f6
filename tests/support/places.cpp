#include "support/places.hpp"

#include <cstdlib>

namespace regatta::support {
namespace {

/// A bundle of tests (scripts/gpu_bundle.sh) runs elsewhere than it was built.
std::string given_or(const char* variable, const char* built) {
  const char* const given = std::getenv(variable);
  return given != nullptr ? given : built;
}

}  // namespace

std::string source_folder() { return given_or("REGATTA_SOURCE_DIR", REGATTA_SOURCE_DIR); }
std::string binary_folder() { return given_or("REGATTA_BINARY_DIR", REGATTA_BINARY_DIR); }

}  // namespace regatta::support
