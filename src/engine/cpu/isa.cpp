#include "engine/cpu/isa.hpp"

#include "regatta/base/error.hpp"

namespace regatta::engine::cpu {

bool supported(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && supported(Isa::avx2);
    case Isa::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::baseline:
    case Isa::automatic:
      break;
  }
  return true;
}

const KernelTable& kernels_for(Isa isa) {
  if (!supported(isa)) {
    throw InputError("this processor lacks the instruction set that was asked for; leave the choice to the engine");
  }
  if (isa == Isa::avx512 || (isa == Isa::automatic && supported(Isa::avx512))) return avx512_kernels();
  if (isa == Isa::avx2 || (isa == Isa::automatic && supported(Isa::avx2))) return avx2_kernels();
  return baseline_kernels();
}

}  // namespace regatta::engine::cpu
