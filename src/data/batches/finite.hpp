// Numbers that nothing can be trained on.
#pragma once

#include <span>
#include <string>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// Where value number `at` of an array stands, rows one after the other: "sample 11 (counted from 1, the header not),
/// column \"width\"".
std::string place_in(const Array& array, std::size_t at);

/// Throws InputError naming the file, the place of the first value that is NaN or infinite, and how many there are.
/// `values` are those of the array, converted. `what`: "numbers" or "labels".
void need_finite(std::span<const float> values, const Array& array, const std::string& file, const char* what);

}  // namespace regatta::data
