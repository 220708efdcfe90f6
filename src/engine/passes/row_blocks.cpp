#include <algorithm>
#include <map>
#include <optional>

#include "engine/ir/ir.hpp"
#include "engine/passes/passes.hpp"

namespace regatta::engine {

namespace {

constexpr std::int64_t kMostBlocks = 128;             // in a step: more calls than that cost more than they save
constexpr std::int64_t kSmallWeightBytes = 32 << 10;  // all weights: read again for each block, from the first cache

/// Rows [begin, begin + count) of `batch`.
struct Rows {
  std::int64_t batch, begin, count;
  [[nodiscard]] std::int64_t part(std::int64_t total) const { return total / batch * count; }
};

/// An operation on some of the rows, and which of its operands have rows.
struct Part {
  OpSpec spec;
  std::array<bool, kOperands> by_row{};
};

template <class... Position>
Part part(OpSpec spec, Position... position) {
  Part result{spec, {}};
  ((result.by_row[static_cast<std::size_t>(position)] = true), ...);
  return result;
}

/// The part of an operation for some rows; nothing if its rows are not those of the batch.
struct Taking {
  const Rows& rows;

  [[nodiscard]] bool is_first() const { return rows.begin == 0; }

  std::optional<Part> operator()(MatMul op) const {
    if (!op.transpose_a && op.m == rows.batch && !op.sum_columns) {
      op.m = rows.count;
      return part(op, 0, 2, 4);
    }
    if (!op.transpose_a || op.transpose_b || op.k != rows.batch) return {};
    op.k = rows.count;
    op.add_to_c = !is_first();
    return op.outer_b ? part(op, 0, 1, 4) : part(op, 0, 1);
  }
  std::optional<Part> operator()(AddBias op) const {
    if (op.rows != rows.batch) return {};
    op.rows = rows.count;
    return part(op, 0);
  }
  std::optional<Part> operator()(ColumnSum op) const {
    if (op.rows != rows.batch) return {};
    op.rows = rows.count;
    op.add_to_sums = !is_first();
    return part(op, 0);
  }
  std::optional<Part> operator()(Softmax op) const {
    if (op.rows != rows.batch) return {};
    op.rows = rows.count;
    return part(op, 0);
  }
  std::optional<Part> operator()(Activate op) const { return counted(op, 0); }
  std::optional<Part> operator()(ActivateGradient op) const { return counted(op, 0, 1); }
  std::optional<Part> operator()(DropoutGradient op) const { return counted(op, 0, 1, 2); }
  std::optional<Part> operator()(Dropout op) const {
    if (op.batch != rows.batch) return {};
    op.batch = rows.count;
    op.first_sample += rows.begin;
    return part(op, 0, 1, 2);
  }
  std::optional<Part> operator()(Loss op) const {
    if (op.rows != rows.batch) return {};
    op.rows = rows.count;
    if (op.averaged_rows == 0) op.averaged_rows = rows.batch;
    op.mean = false;  // when all rows are there
    return part(op, 0, 1, 2, 3, 5);
  }
  std::optional<Part> operator()(const auto& /*not by rows*/) const { return {}; }

 private:
  template <class Op, class... Position>
  std::optional<Part> counted(Op op, Position... position) const {
    if (op.count % rows.batch != 0) return {};
    op.count = rows.part(op.count);
    return part(op, position...);
  }
};

bool is_once_a_step(const OpSpec& spec) { return std::holds_alternative<AdvanceStep>(spec) || is_update(spec); }

/// Roles whose buffers have rows, and whose parts lie inside them.
bool is_kept_by_row(Role role) {
  return role == Role::input_x || role == Role::input_y || role == Role::output || role == Role::sample_losses;
}

class Blocks {
 public:
  Blocks(const std::vector<Op>& ops, std::vector<BufferSpec>& buffers, std::int64_t batch, std::int64_t rows)
      : ops_(ops), buffers_(buffers), batch_(batch), rows_(rows) {}

  /// The step in blocks, if all operations and buffers allow it.
  std::optional<std::vector<Op>> run() {
    std::vector<Op> step;
    if (!take_once(step, true)) return {};
    for (std::int64_t begin = 0; begin < batch_; begin += rows_) {
      if (!take({batch_, begin, std::min(rows_, batch_ - begin)}, step)) return {};
    }
    for (const Op& op : ops_) {
      const auto* loss = std::get_if<Loss>(&op.spec);
      if (loss == nullptr || !loss->mean) continue;
      Loss mean = *loss;
      mean.samples = mean.gradient = false;
      step.push_back(make_op(mean, {kNoBuffer, kNoBuffer, kNoBuffer, op.operands[3], op.operands[4]}));
    }
    take_once(step, false);
    return step;
  }

 private:
  /// Operations of a step, not of a block: those before the rows, or those after them.
  bool take_once(std::vector<Op>& step, bool before) const {
    bool seen_rows = false, after = false;
    for (const Op& op : ops_) {
      if (!is_once_a_step(op.spec)) {
        if (after) return false;  // an update in the middle
        seen_rows = true;
        continue;
      }
      after = seen_rows;
      if (before != seen_rows) step.push_back(op);
    }
    return true;
  }

  bool take(const Rows& rows, std::vector<Op>& step) {
    for (const Op& op : ops_) {
      if (is_once_a_step(op.spec)) continue;
      const auto* loss = std::get_if<Loss>(&op.spec);
      if (loss != nullptr && !loss->samples && !loss->gradient) continue;  // the mean alone
      const std::optional<Part> taken = std::visit(Taking{rows}, op.spec);
      if (!taken) return false;
      Op placed{taken->spec, op.operands};
      for (std::size_t i = 0; i < kOperands; ++i) {
        if (op.operands[i] == kNoBuffer) continue;
        const Role role = buffers_[static_cast<std::size_t>(op.operands[i])].role;
        if (!taken->by_row[i]) {
          if (role == Role::temporary || is_kept_by_row(role)) return false;
        } else {
          const std::optional<BufferIndex> place = place_of(op.operands[i], rows);
          if (!place) return false;
          placed.operands[i] = *place;
        }
      }
      if (loss != nullptr) placed.operands[4] = kNoBuffer;
      step.push_back(placed);
    }
    return true;
  }

  /// The rows of a buffer.
  std::optional<BufferIndex> place_of(BufferIndex index, const Rows& rows) {
    const BufferSpec whole = buffers_[static_cast<std::size_t>(index)];
    if (whole.bytes % batch_ != 0) return {};
    const bool temporary = whole.role == Role::temporary;
    if (!temporary && !is_kept_by_row(whole.role)) return {};
    const auto [place, is_new] = places_.try_emplace({index, temporary ? 0 : rows.begin}, kNoBuffer);
    if (is_new) {
      place->second = static_cast<BufferIndex>(buffers_.size());
      const std::int64_t row_bytes = whole.bytes / batch_;
      buffers_.push_back(
          {whole.role, row_bytes * (temporary ? rows_ : rows.count), temporary ? 0 : row_bytes * rows.begin});
    }
    return place->second;
  }

  const std::vector<Op>& ops_;
  std::vector<BufferSpec>& buffers_;
  std::int64_t batch_, rows_;
  std::map<std::pair<BufferIndex, std::int64_t>, BufferIndex> places_;
};

/// Whether all weights stay in the first cache beside the rows of a block.
bool is_small(const std::vector<BufferSpec>& buffers) {
  std::int64_t weight_bytes = 0;
  for (const BufferSpec& buffer : buffers) {
    if (buffer.role == Role::parameter) weight_bytes += buffer.bytes;
  }
  return weight_bytes <= kSmallWeightBytes;
}

}  // namespace

void take_in_row_blocks(std::vector<Op>& ops, std::vector<BufferSpec>& buffers, std::int64_t batch,
                        const PlanHints& hints) {
  if (hints.sum_block == 0) return;
  const std::int64_t blocks = (batch + hints.sum_block - 1) / hints.sum_block;
  const std::int64_t rows = (batch + blocks - 1) / blocks;
  if (rows >= batch || batch > rows * kMostBlocks || !is_small(buffers)) return;
  const std::size_t before = buffers.size();
  std::optional<std::vector<Op>> step = Blocks(ops, buffers, batch, rows).run();
  if (step) {
    ops = std::move(*step);
  } else {
    buffers.resize(before);
  }
}

}  // namespace regatta::engine
