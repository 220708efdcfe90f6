// Bytes of a file as damage leaves them: cut, with a flipped bit, zero bytes, a tail twice, two pieces exchanged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "simulation/random.hpp"

namespace regatta::crashes {

struct Damaged {
  const char* how = "";
  std::string bytes;
};

inline std::string flipped(std::string bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  return bytes;
}

/// By the dice; `starts` are where the pieces begin that may be exchanged, lines or the like.
inline Damaged damaged(const std::string& whole, const std::vector<std::size_t>& starts, simulation::Random& random) {
  const std::size_t at = random.below(whole.size());
  switch (random.below(5)) {
    case 0:
      return {"cut", whole.substr(0, at)};
    case 1:
      return {"flipped bit", flipped(whole, 8 * at + random.below(8))};
    case 2: {
      const std::size_t length = std::min<std::size_t>(1 + random.below(4096), whole.size() - at);
      return {"zero bytes", std::string(whole).replace(at, length, length, '\0')};
    }
    case 3:
      return {"tail twice", whole + whole.substr(whole.size() - std::min<std::size_t>(at, 1 + random.below(3000)))};
    default:
      break;
  }
  std::size_t one = random.below(starts.size());
  std::size_t other = random.below(starts.size());
  if (one > other) std::swap(one, other);
  const auto piece = [&](std::size_t index) {
    const std::size_t end = index + 1 < starts.size() ? starts[index + 1] : whole.size();
    return whole.substr(starts[index], end - starts[index]);
  };
  const std::size_t between = starts[one] + piece(one).size();
  const std::string middle = between < starts[other] ? whole.substr(between, starts[other] - between) : "";
  std::string bytes = whole.substr(0, starts[one]) + piece(other) + middle + (one == other ? "" : piece(one));
  bytes += whole.substr(bytes.size());
  return {"exchanged pieces", std::move(bytes)};
}

/// The first byte that differs, or where the shorter one ends.
inline std::size_t first_damaged(const std::string& whole, const std::string& bytes) {
  const std::size_t shared = std::min(whole.size(), bytes.size());
  return static_cast<std::size_t>(
      std::mismatch(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(shared), bytes.begin()).first -
      whole.begin());
}

}  // namespace regatta::crashes
