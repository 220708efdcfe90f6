// Faults that a neighbour may cause on a GPU: take its memory, compute for ever, fail. For phase 42 of
// scripts/gpu_check.sh.
//   gpu_faults hog        takes all memory but some, says "held", ends when its input does
//   gpu_faults endless    starts a kernel that never ends, says "started", waits for it
//   gpu_faults illegal    has a kernel write to no memory, says how the runtime calls that
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace {

constexpr std::size_t left_bytes = std::size_t{64} << 20;

__global__ void spin(const volatile int* go_on) {
  while (*go_on != 0) {
  }
}

__global__ void write(int* nowhere) { *nowhere = 1; }

int fail(const char* what, cudaError_t status) {
  std::printf("%s: %s\n", what, cudaGetErrorName(status));
  return 1;
}

int hog() {
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  if (const auto status = cudaMemGetInfo(&free_bytes, &all_bytes); status != cudaSuccess)
    return fail("cudaMemGetInfo", status);
  std::size_t held = 0;
  for (std::size_t piece = std::size_t{1} << 34; piece >= left_bytes; piece /= 2) {
    for (void* memory = nullptr; cudaMalloc(&memory, piece) == cudaSuccess;) held += piece;
    cudaGetLastError();  // each size ends with a refusal
  }
  std::printf("held %zu MiB of %zu\n", held >> 20, all_bytes >> 20);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

int endless() {
  int* flag = nullptr;
  if (const auto status = cudaMalloc(&flag, sizeof *flag); status != cudaSuccess) return fail("cudaMalloc", status);
  cudaMemset(flag, 1, sizeof *flag);
  spin<<<1, 1>>>(flag);
  std::printf("started\n");
  std::fflush(stdout);
  return fail("a kernel that never ends", cudaDeviceSynchronize());
}

int illegal() {
  write<<<1, 1>>>(nullptr);
  const cudaError_t first = cudaDeviceSynchronize();
  void* memory = nullptr;
  const cudaError_t later = cudaMalloc(&memory, 64);
  std::printf("%s, and then %s\n", cudaGetErrorName(first), cudaGetErrorName(later));
  return first == cudaErrorIllegalAddress && later == cudaErrorIllegalAddress ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  if (what == "hog") return hog();
  if (what == "endless") return endless();
  if (what == "illegal") return illegal();
  std::printf("usage: gpu_faults hog | endless | illegal\n");
  return 2;
}
