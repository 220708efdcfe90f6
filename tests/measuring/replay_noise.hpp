// Models of machines' effects on the time of a slice, without a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "measuring/replay_random.hpp"

namespace regatta::measuring {

struct SlicePlace {
  std::uint64_t slice = 0;     ///< counts all slices of the contrast in the order of time
  std::uint64_t square = 0;    ///< counts from 0
  std::uint32_t arm = 0;       ///< 0: a, 1: b
  std::uint32_t position = 0;  ///< in its round
  double process = 0;          ///< speed of its process, standard normal
  double effect = 0;           ///< planted log of its time; not part of what is drawn
};

struct SliceDraw {
  double log_time = 0;     ///< over its nominal time
  double log_median = 0;   ///< the same of the median of its steps
  std::uint8_t flags = 0;  ///< disturbance flags
};

/// Draws slice after slice of one contrast.
using NoiseStream = std::function<SliceDraw(const SlicePlace&)>;

struct Noise {
  std::string name;
  std::function<NoiseStream(Random&, double scale)> start;
  bool scaled = true;  ///< `scale` sets the spread of block values; it is chosen to give the wanted one
  double shift = 0;    ///< log by which arm a is slower because of it
  double scale = 1;    ///< set by `calibrated`
  double spread = 0;   ///< spread of block values, set by `calibrated`
};

/// The noises of T1.
std::vector<Noise> t1_noises();
/// The one of that name among them and those that only mutants need.
Noise noise(const std::string& name);

}  // namespace regatta::measuring
