// Every state that a loss of power may leave behind each operation of a run, or a seeded part of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "disk_record.hpp"
#include "simulation/random.hpp"

namespace regatta::crashes {

/// A promise of the system was broken.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A recording on a disk that held `before`. Power fails behind operation `first_point` and each one after it.
struct Recorded {
  Disk before = {};
  std::vector<Operation> operations = {};
  std::size_t first_point = 0;
};

struct Effort {
  std::size_t all_of = 6;    ///< where no more chances than this are open, every subset of them happens
  std::size_t samples = 24;  ///< elsewhere so many by the dice, beside those that are listed
  std::size_t every = 1;     ///< only each n-th of those that are listed
};

struct Count {
  std::uint64_t operations = 0;
  std::uint64_t points = 0;        ///< at which the power fails
  std::uint64_t whole_points = 0;  ///< every state of which was built
  std::uint64_t built = 0;
  std::uint64_t resumed = 0;  ///< states that differ from each other

  Count& operator+=(const Count& other);
};

/// The chances that happen at one point, whole operations and single sectors. They are all subsets, or those that each
/// lose one, keep one or end behind one, and some by the dice.
std::vector<std::vector<bool>> outcomes_of(const Crash& crash, const Effort& effort, simulation::Random& random);

/// Builds the states; `resume` gets each one that differs from all before it, and throws what is wrong with it. It
/// returns a count of the records that are there. This must not be below `promised` for any point at which the state
/// occurs.
Count survive(const Recorded& recorded, const Effort& effort, std::uint64_t seed,
              const std::function<std::size_t(std::size_t done)>& promised,
              const std::function<std::size_t(const Disk&)>& resume);

}  // namespace regatta::crashes
