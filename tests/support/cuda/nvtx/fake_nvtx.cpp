// A profiler as tests want it, loaded by NVTX itself where NVTX_INJECTION64_PATH names it: each range that begins is a
// line of the file REGATTA_FAKE_NVTX, indented by how many it lies in.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>

namespace {

int depth = 0;

int push(const char* name) {
  if (std::FILE* const file = std::fopen(std::getenv("REGATTA_FAKE_NVTX"), "a")) {
    std::fprintf(file, "%*s%s\n", 2 * depth, "", name);
    std::fclose(file);
  }
  return depth++;
}

int pop() { return --depth; }

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned count = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &count) == 0) return 0;
  *table[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
