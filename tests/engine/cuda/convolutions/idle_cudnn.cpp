// A library that says it is cuDNN, of the version that the build says, for the test of what opens cuDNN.
#include <cstddef>

#define REGATTA_SHOWN extern "C" __attribute__((visibility("default")))

REGATTA_SHOWN std::size_t cudnnGetVersion();
std::size_t cudnnGetVersion() { return REGATTA_IDLE_CUDNN; }

#define REGATTA_REFUSING(name) \
  REGATTA_SHOWN int name();    \
  int name() { return 1; }

REGATTA_REFUSING(cudnnGetErrorString)
REGATTA_REFUSING(cudnnGetLastErrorString)
REGATTA_REFUSING(cudnnCreate)
REGATTA_REFUSING(cudnnDestroy)
REGATTA_REFUSING(cudnnSetStream)
REGATTA_REFUSING(cudnnBackendCreateDescriptor)
REGATTA_REFUSING(cudnnBackendDestroyDescriptor)
REGATTA_REFUSING(cudnnBackendSetAttribute)
REGATTA_REFUSING(cudnnBackendGetAttribute)
REGATTA_REFUSING(cudnnBackendFinalize)
REGATTA_REFUSING(cudnnBackendExecute)
