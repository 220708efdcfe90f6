#include "engine/reference/kernels.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::reference {

namespace {

Kernels all_kernels() {
  Kernels kernels{};
  enter_elementwise(kernels);
  enter_images(kernels);
  enter_normalization(kernels);
  enter_products(kernels);
  enter_recurrent(kernels);
  enter_training(kernels);
  for (const Kernel kernel : kernels) expect(kernel != nullptr, "each operation has a reference kernel");
  return kernels;
}

void launch(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  (*static_cast<const Kernel*>(call.context))(call.spec, call.operands);
}

}  // namespace

BoundCalls bind(const OpSpec& spec, const Memory& memory) {
  static const Kernels kernels = all_kernels();
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0].launch = launch;
  bound.calls[0].spec = std::visit([](const auto& op) -> const void* { return &op; }, spec);
  bound.calls[0].context = &kernels[spec.index()];
  bound.calls[0].operands = memory;
  return bound;
}

}  // namespace regatta::engine::reference
