// The kinds of errors, and who may survive each. A message reads: what is wrong (why it matters), what to do.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

namespace regatta {

/// The user's input is wrong: report it and exit with code 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A process at the other end of a link is gone or speaks nonsense: the attempt may be repeated.
struct PeerLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A device failed or lacks something: the trial may be repeated elsewhere.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A device has no memory left for what was asked: the trial is too large for it.
struct DeviceMemoryError : std::bad_alloc {
  [[nodiscard]] const char* what() const noexcept override { return "the device has no memory left"; }
};

/// Writing or syncing results failed: stop dispatching, exit with code 74, never retry the sync.
struct StorageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A mistake of ours: stop.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// Throws InternalError naming the call site if `holds` is false. For our own contracts, always on.
/// (The builtins stand in for std::source_location, which clang 14 lacks.)
void expect(bool holds, const char* what, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// "open 'x': No such file or directory" from errno.
std::string errno_text(const std::string& action, int error_number);

}  // namespace regatta
