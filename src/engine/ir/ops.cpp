#include "regatta/engine/ops.hpp"

namespace regatta::engine {

OperandBytes operand_bytes(const OpSpec& spec) {
  return std::visit([](const auto& op) { return op.operand_bytes(); }, spec);
}

bool is_of_parameter(const OpSpec& spec) {
  return std::holds_alternative<SgdUpdate>(spec) || std::holds_alternative<AdamUpdate>(spec);
}

bool is_update(const OpSpec& spec) {
  return is_of_parameter(spec) || std::holds_alternative<AccumulateGradients>(spec) ||
         std::holds_alternative<ClipGradients>(spec);
}

bool awaits_sums(const OpSpec& spec) {
  if (const auto* sums = std::get_if<BatchSums>(&spec)) return sums->squares;
  if (const auto* norm = std::get_if<BatchNorm>(&spec)) return norm->given_moments;
  return std::holds_alternative<BatchNormInputGradient>(spec);
}

const char* name_of(const OpSpec& spec) {
  return std::visit([]<class Spec>(const Spec&) { return Spec::kName; }, spec);
}

}  // namespace regatta::engine
