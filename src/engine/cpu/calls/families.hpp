// How each kind of operation is bound: a table that the files of one family of operations fill each for their own.
#pragma once

#include "engine/cpu/calls/calls.hpp"

namespace regatta::engine::cpu {

struct OpCalls {
  BoundCalls (*bind)(const Target& target, const OpSpec& spec, const Memory& memory);
  std::int64_t (*scratch_bytes)(const Target& target, const OpSpec& spec);
  bool (*packs_first)(const Target& target, const OpSpec& spec);  ///< Backend::packs_first
};

/// By place in OpSpec.
using CallTable = std::array<OpCalls, kOpKinds>;

/// The alternative that an operation is known to hold: eager mode binds each operation of each step.
template <class Spec>
const Spec& held(const OpSpec& spec) {
  const Spec* const found = std::get_if<Spec>(&spec);
  if (found == nullptr) __builtin_unreachable();
  return *found;
}

/// For operations that want no scratch memory.
struct NoScratch {
  template <class Spec>
  std::int64_t operator()(const Target& /*target*/, const Spec& /*op*/) const {
    return 0;
  }
};

/// For operations that read operand 1 where it lies, or pack more than that.
struct PacksNothing {
  template <class Spec>
  bool operator()(const Target& /*target*/, const Spec& /*op*/) const {
    return false;
  }
};

/// Enters `bind(target, op, memory)`, `scratch(target, op)` and `packs(target, op)` for each of these operations.
template <class... Specs, class Bind, class Scratch = NoScratch, class Packs = PacksNothing>
void enter(CallTable& table, Bind /*bind*/, Scratch /*scratch*/ = {}, Packs /*packs*/ = {}) {
  ((table[kOpIndex<Specs>] = {
        [](const Target& target, const OpSpec& spec, const Memory& memory) {
          return Bind{}(target, held<Specs>(spec), memory);
        },
        [](const Target& target, const OpSpec& spec) { return Scratch{}(target, held<Specs>(spec)); },
        [](const Target& target, const OpSpec& spec) { return Packs{}(target, held<Specs>(spec)); }}),
   ...);
}

void enter_conv2d(CallTable& table);
void enter_elementwise(CallTable& table);
void enter_embedding(CallTable& table);
void enter_lstm(CallTable& table);
void enter_norms(CallTable& table);
void enter_products(CallTable& table);
void enter_updates(CallTable& table);

}  // namespace regatta::engine::cpu
