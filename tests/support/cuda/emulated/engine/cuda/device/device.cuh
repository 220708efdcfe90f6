// In front of the device's file of this name: the same words, served by the emulator.
#pragma once

#include <cuda_bf16.h>

#include "support/cuda/emulator/words.hpp"

#define REGATTA_SHARED(type, name, extent)                                           \
  using name##_of_the_block = type extent;                                           \
  static const char name##_key = 0;                                                  \
  auto& name = *static_cast<name##_of_the_block*>(::regatta::emulator::shared_array( \
      &name##_key, sizeof(name##_of_the_block), alignof(name##_of_the_block), #name, {__FILE__, __LINE__}))

/// In front of a loop whose turns are a constant number: local arrays that it walks stay in registers.
#define REGATTA_UNROLL
#define REGATTA_UNROLL_BY(turns)
#define REGATTA_ROLLED

namespace regatta::engine::cuda::device {

/// Nothing starts before what came before it has ended.
inline void begin() {}

template <class T>
T load_acquire(const T* place, REGATTA_CALLER) {
  regatta::emulator::let_others_run({file, line});
  return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

template <class T>
T add_acquire_release(T* place, T value) {
  return __atomic_fetch_add(place, value, __ATOMIC_ACQ_REL);
}

}  // namespace regatta::engine::cuda::device
