// The kernels that a test program computes with where a test does not choose: the processor's, or those of a plugin.
// The sources of tests/engine/run are linked into a program for each.
#pragma once

#include <string>

namespace regatta::engine {

/// The plugin's file; empty: the processor's kernels.
const std::string& plugin_under_test();

}  // namespace regatta::engine
