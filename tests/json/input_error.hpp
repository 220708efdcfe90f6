// The text of a reader's error about bad input.
#pragma once

#include <string>

#include "regatta/base/error.hpp"

namespace regatta {

/// The text of the InputError that `action` throws; "no error" if it does not throw.
template <class Action>
std::string input_error(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace regatta
