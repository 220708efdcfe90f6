#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/cpu/cpu.hpp"
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

Isa isa_named(const std::string& name) {
  if (name == "avx512") return Isa::avx512;
  if (name == "avx2") return Isa::avx2;
  if (name == "baseline") return Isa::baseline;
  throw InputError("there are no kernels for the instruction set '" + name + "'; take avx512, avx2 or baseline");
}

namespace {

/// AVX-512, with products in bf16.
KernelTable tile_kernels() {
  KernelTable table = avx512_kernels();
  table.isa = "amx-bf16";
  table.arithmetic = "bf16";
  table.bf16 = &amx_kernels();
  return table;
}

}  // namespace

bool supports_tiles() {
  constexpr unsigned kRounding = 1U << 5U;            // cpuid 7.1 eax: AVX512_BF16
  constexpr unsigned kTiles = 1U << 22U | 1U << 24U;  // cpuid 7.0 edx: AMX_BF16 and AMX_TILE
  constexpr long kRequest = 0x1023, kTileData = 18;   // Linux: ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  unsigned rounding = 0, tiles = 0, b = 0, c = 0, rest = 0;
  if (__get_cpuid_count(7, 0, &rest, &b, &c, &tiles) == 0 || (tiles & kTiles) != kTiles) return false;
  if (__get_cpuid_count(7, 1, &rounding, &b, &c, &rest) == 0 || (rounding & kRounding) == 0) return false;
  return supported(Isa::avx512) && syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

const KernelTable& kernels_for(Isa isa, Precision precision) {
  if (precision == Precision::bf16) {
    if (!supports_tiles()) {
      throw InputError(
          "this processor has no tile registers (AMX), which precision bf16 needs; take fp32, or another machine");
    }
    static const KernelTable table = tile_kernels();
    return table;
  }
  if (!supported(isa)) {
    throw InputError("this processor lacks the instruction set that was asked for; leave the choice to the engine");
  }
  if (isa == Isa::avx512 || (isa == Isa::automatic && supported(Isa::avx512))) return avx512_kernels();
  if (isa == Isa::avx2 || (isa == Isa::automatic && supported(Isa::avx2))) return avx2_kernels();
  return baseline_kernels();
}

}  // namespace regatta::engine::cpu
