// Operands of operations: where they stand, and how many bytes they hold.
#pragma once

#include <array>
#include <cstdint>

namespace regatta::engine {

/// Index into Program::buffers.
using BufferIndex = std::int32_t;
inline constexpr BufferIndex kNoBuffer = -1;
inline constexpr int kOperands = 8;
inline constexpr int kScratch = 7;              ///< position of the scratch memory that a backend asked for
inline constexpr std::int64_t kAlignment = 64;  ///< bytes, of every operand: a cache line, and the widest vector

/// Bytes that each operand must hold at least; 0 where the operation uses none. Scratch is not included.
using OperandBytes = std::array<std::int64_t, kOperands>;

constexpr std::int64_t floats(std::int64_t count) { return count * static_cast<std::int64_t>(sizeof(float)); }

/// Bytes of the first three operands, from their sizes in floats.
constexpr OperandBytes sizes(std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) {
  return {floats(a), floats(b), floats(c)};
}

}  // namespace regatta::engine
