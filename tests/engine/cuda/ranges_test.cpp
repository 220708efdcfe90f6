#include "engine/cuda/cuda.hpp"
#include "engine/cuda/cuda_test.hpp"
#include "engine/cuda/issuer.hpp"

namespace regatta::engine::cuda {
namespace {

class Ranges : public CudaTest {};

// process.cuda_trials_test checks ranges under a profiler, with one that NVTX itself loads.
TEST_F(Ranges, ChangeNothingWithoutAProfiler) {
  begin_range("trial");
  { const Range inner("slice"); }
  end_range();
  end_range();  // without a begin: NVTX lets it pass
}

TEST_F(Ranges, OfSingleCallsHaveTheNamesOfTheirOperations) {
  const auto backend = make_backend({});
  void* const memory = backend->allocate(40);
  for (const OpSpec& spec : {OpSpec(Add{10}), OpSpec(MatMul{})}) {
    const BoundCalls bound = backend->bind(spec, {memory, memory, memory});
    EXPECT_STREQ(Issuer::name_of(bound.calls[0]), name_of(spec));
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
