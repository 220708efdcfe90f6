// Attributes by which programs say how the numbers of a dataset are meant.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>

namespace regatta::data {

/// Whether the axes stand in MATLAB's order, the first one fastest: rows are columns of the file then.
bool is_of_matlab(hid_t dataset);

/// Throws InputError for numbers that are not meant as they stand: packed ones, empty arrays and texts of MATLAB.
void refuse_other_meanings(hid_t dataset);

/// Throws InputError if one of the numbers, read as `memory_type`, is the one that stands for a missing value.
void refuse_missing_numbers(hid_t dataset, hid_t memory_type, const void* numbers, std::uint64_t bytes);

}  // namespace regatta::data
