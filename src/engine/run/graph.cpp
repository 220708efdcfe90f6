// Graph mode: everything is decided when the executor is made; a step is a flat array of calls.
#include <utility>

#include "engine/passes/passes.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/gradient_ranges.hpp"

namespace regatta::engine {

namespace {

/// An operand that is fed anew in each step.
struct FedOperand {
  std::size_t segment, call;
  int operand;
  Role role;
  std::int64_t offset;  ///< bytes
};

/// Calls between two reports of completed gradients; one segment holds all if nobody listens and nothing is awaited.
struct Segment {
  std::unique_ptr<Recording> recording;
  const Op* completes = nullptr;
  bool ends_part = false;
};

class GraphExecutor final : public Executor {
 public:
  explicit GraphExecutor(const ExecutorContext& context)
      : context_(context),
        backend_(context.backend),
        ops_(step_ops(context.program)),
        buffers_(context.program.buffers),
        ranges_(context) {
    if (context.settings.fusion) fuse_step();
    add_scratch(ops_, buffers_, backend_);
    if (context.packed != nullptr) keep_panels();
    const ArenaPlan plan = pack_arena(ops_, buffers_);
    arena_bytes_ = plan.bytes;
    if (arena_bytes_ > 0) arena_ = static_cast<char*>(backend_.allocate(arena_bytes_));
    try {
      record(plan);
    } catch (...) {
      backend_.release(arena_);
      throw;
    }
  }
  ~GraphExecutor() override { backend_.release(arena_); }
  GraphExecutor(const GraphExecutor&) = delete;
  GraphExecutor& operator=(const GraphExecutor&) = delete;

  void run(const Inputs& inputs) override {
    if (inputs.x != fed_.x || inputs.y != fed_.y) feed(inputs);
    if (next_ == 0) ranges_.begin_step();
    for (std::size_t at = std::exchange(next_, 0); at < segments_.size(); ++at) {
      const Segment& segment = segments_[at];
      backend_.replay(*segment.recording);
      if (segment.completes != nullptr) ranges_.report(*segment.completes);
      if (!segment.ends_part) continue;
      next_ = at + 1;
      return;
    }
  }

  [[nodiscard]] std::int64_t temporary_bytes() const override { return arena_bytes_; }
  [[nodiscard]] std::int64_t calls() const override { return calls_; }

 private:
  void fuse_step() {
    const PlanHints hints = backend_.plan_hints();
    ops_ = fuse(ops_, buffers_, hints);
    fuse_outer_products(ops_, buffers_, hints);
    if (ranges_.wanted()) return;  // a listener wants gradients layer by layer, and before the updates
    take_in_row_blocks(ops_, buffers_, context_.settings.batch, hints);
    const bool wants_all_gradients = context_.settings.clip_norm > 0 || context_.settings.accumulate > 1;
    if (!wants_all_gradients) place_updates(ops_, hints);  // elsewhere an update waits for the last gradient
  }

  /// Panels of weights are not in the arena, where the next operation would write over them.
  void keep_panels() {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      std::array<BufferIndex, kOperands>& operands = ops_[i].operands;
      if (operands[1] == kNoBuffer || spec(operands[1]).role != Role::parameter) continue;
      if (operands[kScratch] == kNoBuffer || !backend_.packs_first(ops_[i].spec)) continue;
      context_.packed->panels(i, spec(std::exchange(operands[kScratch], kNoBuffer)).bytes);
    }
  }

  void record(const ArenaPlan& plan) {
    std::vector<Call> calls;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const Op& op = ops_[i];
      if (awaits_sums(op.spec)) end_part(calls);
      bind(i, plan, calls);
      if (ranges_.wanted() && ranges_.completes(op) && !is_update(op.spec)) close_segment(calls, &op);
    }
    if (!calls.empty()) close_segment(calls, nullptr);
  }

  [[nodiscard]] const BufferSpec& spec(BufferIndex index) const { return buffers_[static_cast<std::size_t>(index)]; }

  /// Null for inputs, which are fed.
  [[nodiscard]] void* address(BufferIndex index, const ArenaPlan& plan) const {
    const auto at = static_cast<std::size_t>(index);
    const std::vector<void*>& addresses = context_.addresses;
    if (spec(index).role == Role::temporary) return arena_ + plan.offsets[at];
    if (at < addresses.size()) return addresses[at];
    for (std::size_t i = 0; i < addresses.size(); ++i) {  // a place inside the only buffer of its role
      if (context_.program.buffers[i].role != spec(index).role || addresses[i] == nullptr) continue;
      return static_cast<char*>(addresses[i]) + spec(index).offset;
    }
    return nullptr;
  }

  void bind(std::size_t place, const ArenaPlan& plan, std::vector<Call>& calls) {
    const Op& op = ops_[place];
    std::array<void*, kOperands> memory{};
    for (std::size_t i = 0; i < kOperands; ++i) {
      if (op.operands[i] != kNoBuffer) memory[i] = address(op.operands[i], plan);
    }
    void* const panels = context_.packed != nullptr ? context_.packed->find(place) : nullptr;
    const bool is_packed = panels != nullptr;
    if (is_packed) memory[kScratch] = panels;
    const BoundCalls bound = backend_.bind(op.spec, memory);
    if (is_packed) context_.packed->add(place, bound.calls[0]);
    for (std::size_t call = is_packed ? 1 : 0; call < static_cast<std::size_t>(bound.count); ++call) {
      note_fed(op, calls.size());
      calls.push_back(bound.calls[call]);
    }
  }

  void note_fed(const Op& op, std::size_t call) {
    for (std::size_t i = 0; i < kOperands; ++i) {
      if (op.operands[i] == kNoBuffer) continue;
      const BufferSpec& buffer = spec(op.operands[i]);
      if (buffer.role == Role::input_x || buffer.role == Role::input_y) {
        fed_operands_.push_back({segments_.size(), call, static_cast<int>(i), buffer.role, buffer.offset});
      }
    }
  }

  void close_segment(std::vector<Call>& calls, const Op* completes) {
    calls_ += static_cast<std::int64_t>(calls.size());
    segments_.push_back({backend_.record(calls), completes});
    calls.clear();
  }

  void end_part(std::vector<Call>& calls) {
    if (!calls.empty()) close_segment(calls, nullptr);
    segments_.back().ends_part = true;
  }

  void feed(const Inputs& inputs) {
    for (const FedOperand& fed : fed_operands_) {
      void* const memory = fed.role == Role::input_x ? inputs.x : inputs.y;
      segments_[fed.segment].recording->set_operand(fed.call, fed.operand, static_cast<char*>(memory) + fed.offset);
    }
    fed_ = inputs;
  }

  ExecutorContext context_;
  Backend& backend_;
  std::vector<Op> ops_;  ///< the calls point into it
  std::vector<BufferSpec> buffers_;
  GradientRanges ranges_;
  char* arena_ = nullptr;
  std::int64_t arena_bytes_ = 0;
  std::vector<Segment> segments_;
  std::vector<FedOperand> fed_operands_;
  Inputs fed_;
  std::size_t next_ = 0;  ///< segment
  std::int64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Executor> make_graph_executor(const ExecutorContext& context) {
  return std::make_unique<GraphExecutor>(context);
}

}  // namespace regatta::engine
