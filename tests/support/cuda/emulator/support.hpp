// For the emulator's own tests: kernels as lambdas, in every order.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/cuda/device/device.cuh"
#include "support/cuda/emulator/run.hpp"

namespace regatta::emulator {

inline const std::vector<Options>& all_orders() {
  static const std::vector<Options> orders = {
      {Order::forward, 1}, {Order::reverse, 1}, {Order::random, 1}, {Order::random, 2}, {Order::random, 3}};
  return orders;
}

inline std::string text_of(const Options& options) {
  if (options.order == Order::random) return "random order, seed " + std::to_string(options.seed);
  return options.order == Order::forward ? "forward" : "in reverse";
}

/// The emulator's complaint about a launch; empty: none.
template <class Kernel>
std::string complaint(dim3 grid, dim3 block, const Kernel& kernel, const Options& options = {}) {
  try {
    run({"kernel", grid, block}, options, kernel);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace regatta::emulator
