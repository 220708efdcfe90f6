// Eager mode: operation by operation through a dispatcher, as an operator-at-a-time runtime works.
#include "engine/passes/passes.hpp"
#include "engine/run/caching_allocator.hpp"
#include "engine/run/executor.hpp"
#include "engine/run/gradient_ranges.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {

namespace {

/// A live buffer: its memory, and how many operations of this step still use it.
struct Slot {
  void* memory = nullptr;
  std::int32_t uses_left = 0;
};

class CallScope {
 public:
  explicit CallScope(Backend& backend) : backend_(backend) { backend_.begin_calls(); }
  ~CallScope() { backend_.end_calls(); }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  Backend& backend_;
};

class EagerExecutor final : public Executor {
 public:
  explicit EagerExecutor(const ExecutorContext& context)
      : program_(context.program), backend_(context.backend), allocator_(context.backend), ranges_(context) {
    add_scratch(program_, backend_);
    uses_.resize(program_.buffers.size());
    for (const Op& op : step_ops(program_)) {
      for (const BufferIndex buffer : op.operands) {
        if (buffer != kNoBuffer) ++uses_[static_cast<std::size_t>(buffer)];
      }
    }
    slots_.resize(program_.buffers.size());
    for (std::size_t i = 0; i < context.addresses.size(); ++i) slots_[i].memory = context.addresses[i];
    tape_.reserve(program_.nodes.size());
  }

  void run(const Inputs& inputs) override {
    inputs_ = inputs;
    const CallScope scope(backend_);
    try {
      if (!forward() || !backward()) return;
      for (const Op& op : program_.updates) dispatch(op);
      next_ = {};
    } catch (...) {
      drop_everything();
      throw;
    }
  }

  [[nodiscard]] std::int64_t temporary_bytes() const override { return allocator_.held_bytes(); }
  [[nodiscard]] std::int64_t calls() const override { return 0; }

 private:
  /// Where a step goes on.
  struct Place {
    std::size_t node = 0;
    std::size_t entries = 0, op = 0;  ///< done entries of the tape, and operations of the next one
    bool has_sums = false;            ///< the operation there need not wait
  };

  /// False where a part of the step ends.
  bool forward() {
    if (next_.node == 0) tape_.clear();
    for (; next_.node < program_.nodes.size(); ++next_.node) {
      const Node& node = program_.nodes[next_.node];
      if (ends_part_before(node.op)) return false;
      dispatch(node.op);
      if (!node.gradient.empty()) tape_.push_back(&node);
    }
    return true;
  }

  bool backward() {
    if (next_.entries == 0 && next_.op == 0) ranges_.begin_step();
    for (; next_.entries < tape_.size(); ++next_.entries, next_.op = 0) {
      const std::vector<Op>& gradient = tape_[tape_.size() - 1 - next_.entries]->gradient;
      for (; next_.op < gradient.size(); ++next_.op) {
        const Op& op = gradient[next_.op];
        if (ends_part_before(op)) return false;
        dispatch(op);
        if (ranges_.wanted()) ranges_.report(op);
      }
    }
    return true;
  }

  /// Asked again where the step goes on, it does not.
  bool ends_part_before(const Op& op) {
    if (!awaits_sums(op.spec)) return false;
    next_.has_sums = !next_.has_sums;
    return next_.has_sums;
  }

  void dispatch(const Op& op) {
    const std::array<std::int64_t, kOperands> needed = operand_bytes(op.spec);
    std::array<void*, kOperands> memory{};
    for (std::size_t i = 0; i < kOperands; ++i) {
      if (op.operands[i] != kNoBuffer) memory[i] = acquire(op.operands[i], needed[i]);
    }
    const BoundCalls bound = backend_.bind(op.spec, memory);
    for (int i = 0; i < bound.count; ++i) backend_.run(bound.calls[static_cast<std::size_t>(i)]);
    for (const BufferIndex buffer : op.operands) {
      if (buffer != kNoBuffer) drop(buffer);
    }
  }

  /// The buffer's memory, allocated at its first use in a step.
  void* acquire(BufferIndex index, std::int64_t needed_bytes) {
    const BufferSpec& buffer = program_.buffers[static_cast<std::size_t>(index)];
    if (needed_bytes > buffer.bytes) throw InternalError("an operand is smaller than its operation's shape");
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    if (buffer.role == Role::temporary) {
      if (slot.uses_left == 0) {
        slot.memory = allocator_.allocate(buffer.bytes);
        slot.uses_left = uses_[static_cast<std::size_t>(index)];
      }
      return slot.memory;
    }
    if (buffer.role == Role::input_x) return inputs_.x;
    return buffer.role == Role::input_y ? inputs_.y : slot.memory;
  }

  void drop(BufferIndex index) {
    const BufferSpec& buffer = program_.buffers[static_cast<std::size_t>(index)];
    if (buffer.role != Role::temporary) return;
    Slot& slot = slots_[static_cast<std::size_t>(index)];
    if (--slot.uses_left == 0) allocator_.release(slot.memory, buffer.bytes);
  }

  /// After a failure inside a step: the next step starts clean.
  void drop_everything() {
    next_ = {};
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].uses_left == 0) continue;
      slots_[i].uses_left = 0;
      allocator_.release(slots_[i].memory, program_.buffers[i].bytes);
    }
  }

  Program program_;  // with the scratch buffers of this backend
  Backend& backend_;
  CachingAllocator allocator_;
  std::vector<std::int32_t> uses_;  ///< uses of each buffer, in a whole step
  std::vector<Slot> slots_;
  std::vector<const Node*> tape_;
  Place next_;
  Inputs inputs_;
  GradientRanges ranges_;
};

}  // namespace

std::unique_ptr<Executor> make_eager_executor(const ExecutorContext& context) {
  return std::make_unique<EagerExecutor>(context);
}

}  // namespace regatta::engine
