#include "engine/reference/kernels.hpp"

namespace regatta::engine::reference {

BoundCalls bind(const OpSpec& spec, const Memory& memory) {
  return std::visit(
      [&]<class Spec>(const Spec& op) {
        BoundCalls bound;
        bound.count = 1;
        bound.calls[0].launch = [](const Call& call, std::int64_t, std::int64_t) {
          run(*static_cast<const Spec*>(call.spec), call.operands);
        };
        bound.calls[0].spec = &op;
        bound.calls[0].operands = memory;
        return bound;
      },
      spec);
}

}  // namespace regatta::engine::reference
