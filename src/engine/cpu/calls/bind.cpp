#include "engine/cpu/calls/bind.hpp"

#include "engine/cpu/calls/families.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cpu {

namespace {

CallTable all_calls() {
  CallTable table{};
  enter_conv2d(table);
  enter_elementwise(table);
  enter_embedding(table);
  enter_lstm(table);
  enter_norms(table);
  enter_pools(table);
  enter_products(table);
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

BoundCalls bind(const Target& target, const OpSpec& spec, const Memory& memory) {
  return calls_of(spec).bind(target, spec, memory);
}

}  // namespace regatta::engine::cpu
