#include "engine/passes/passes.hpp"

namespace regatta::engine {

namespace {

void add_to(Op& op, std::vector<BufferSpec>& buffers, const Backend& backend) {
  const std::int64_t bytes = backend.scratch_bytes(op.spec);
  if (bytes == 0) return;
  op.operands[kScratch] = static_cast<BufferIndex>(buffers.size());
  buffers.push_back({Role::temporary, bytes, 0});
}

}  // namespace

void add_scratch(std::vector<Op>& ops, std::vector<BufferSpec>& buffers, const Backend& backend) {
  for (Op& op : ops) add_to(op, buffers, backend);
}

void add_scratch(Program& program, const Backend& backend) {
  for (Node& node : program.nodes) {
    add_to(node.op, program.buffers, backend);
    add_scratch(node.gradient, program.buffers, backend);
  }
  add_scratch(program.updates, program.buffers, backend);
}

}  // namespace regatta::engine
