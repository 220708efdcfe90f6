#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/calls.hpp"
#include "engine/cpu/calls/families.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cpu {

namespace {

/// One call of the kernel that computes the operation whole.
BoundCalls bind_kernel(const Target& target, const OpSpec& spec, const Memory& memory) {
  const OpKernel& kernel = target.kernels->ops[spec.index()];
  const void* const op = std::visit([](const auto& held) { return static_cast<const void*>(&held); }, spec);
  BoundCalls bound;
  bound.count = 1;
  bound.calls[0] = {.launch = kernel.launch, .spec = op, .context = target.kernels, .operands = memory};
  const Split parts = kernel.split(op);
  split(target, bound.calls[0], parts.units, parts.work);
  return bound;
}

CallTable all_calls() {
  CallTable table{};
  for (std::size_t kind = 0; kind < kOpKinds; ++kind) {
    if (baseline_kernels().ops[kind].launch != nullptr)
      table[kind] = {bind_kernel, [](const Target&, const OpSpec&) -> std::int64_t { return 0; },
                     [](const Target&, const OpSpec&) { return false; }};
  }
  enter_conv2d(table);
  enter_elementwise(table);
  enter_embedding(table);
  enter_lstm(table);
  enter_norms(table);
  enter_products(table);
  enter_updates(table);
  for (const OpCalls& calls : table) expect(calls.bind != nullptr, "each operation has its calls");
  return table;
}

const OpCalls& calls_of(const OpSpec& spec) {
  static const CallTable table = all_calls();
  return table[spec.index()];
}

}  // namespace

std::int64_t scratch_bytes(const Target& target, const OpSpec& spec) {
  return calls_of(spec).scratch_bytes(target, spec);
}

bool packs_first(const Target& target, const OpSpec& spec) { return calls_of(spec).packs_first(target, spec); }

BoundCalls bind(const Target& target, const OpSpec& spec, const Memory& memory) {
  return calls_of(spec).bind(target, spec, memory);
}

}  // namespace regatta::engine::cpu
