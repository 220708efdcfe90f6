// Rows of an array, one after the other in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "regatta/data/array.hpp"
#include "regatta/data/loader.hpp"

namespace regatta::data {

/// The field that `options` make of the array. Throws InputError if it cannot be made.
BatchField field_of(const Array& array, const FieldOptions& options);

/// Whether rows are more than copied: converted, scaled or mirrored.
bool is_decoded(const Array& array, const FieldOptions& options);

/// Copies the rows `samples`, converted as `options` say, to `out`. Throws InputError for a number that does not fit.
void gather(const Array& array, const FieldOptions& options, std::span<const std::uint32_t> samples, std::byte* out);

/// Mirrors the last axis of the rows whose sample draws so. `key`: of the epoch.
void mirror(const BatchField& field, std::uint64_t key, std::span<const std::uint32_t> samples, std::byte* out);

/// Waits until storage has brought the rows.
void await_rows(const Array& array, std::span<const std::uint32_t> samples);

/// Whether storage would have to be waited for: looks at some of the pages.
bool is_in_memory(const Array& array);

}  // namespace regatta::data
