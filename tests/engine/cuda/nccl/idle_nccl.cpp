// A library that says it is NCCL, of the version that the build says, for the test of what opens NCCL.
#define REGATTA_SHOWN extern "C" __attribute__((visibility("default")))

REGATTA_SHOWN int ncclGetVersion(int* version);
int ncclGetVersion(int* version) {
  *version = REGATTA_IDLE_NCCL;
  return 0;
}

#define REGATTA_REFUSING(name) \
  REGATTA_SHOWN int name();    \
  int name() { return 3; }

REGATTA_REFUSING(ncclGetErrorString)
REGATTA_REFUSING(ncclGetLastError)
REGATTA_REFUSING(ncclGetUniqueId)
REGATTA_REFUSING(ncclCommInitRankConfig)
REGATTA_REFUSING(ncclCommGetAsyncError)
REGATTA_REFUSING(ncclAllReduce)
REGATTA_REFUSING(ncclCommFinalize)
REGATTA_REFUSING(ncclCommDestroy)
