// What a reader says about bad input.
#pragma once

#include <string>

#include "regatta/base/error.hpp"

namespace regatta {

/// What InputError says when `action` runs; "no error" if it does not throw.
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
