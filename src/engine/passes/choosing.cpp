#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "engine/ir/ir.hpp"
#include "engine/passes/choices_file.hpp"
#include "engine/passes/passes.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/random.hpp"

namespace regatta::engine {

namespace {

constexpr int kRounds = 3;                                  // each way so many times, in turns; the fastest counts
constexpr std::int64_t kSmallestPart = 64;                  // a part of an operation that is timed: 1/64
constexpr double kClearlyFaster = 0.97;                     // share of the time of the backend's own way
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;  // bytes of the operands: larger operations are not timed
constexpr double kShortestSeconds = 20e-6;                  // shorter times are blurred by the clock and a cold start

KernelChoice* choice_of(OpSpec& spec) {
  return std::visit(
      [](auto& op) -> KernelChoice* {
        if constexpr (requires { op.choice; }) return &op.choice;
        return nullptr;
      },
      spec);
}

std::string text_of(const Conv1dShape& s) {
  return fmt::format("{} {} {} {} {} {} {} {}", s.batch, s.length, s.channels, s.positions, s.filters, s.taps, s.stride,
                     s.pad);
}

/// The shape that the time depends on; fusion does not change it.
std::string shape_text(const OpSpec& spec) {
  return std::visit(
      [](const auto& op) -> std::string {
        if constexpr (requires { op.transpose_a; }) {
          return fmt::format("{} {} {} {}{}", op.m, op.n, op.k, op.transpose_a ? 't' : 'n', op.transpose_b ? 't' : 'n');
        } else if constexpr (requires { text_of(op.shape); }) {
          return text_of(op.shape);
        }
        return "";
      },
      spec);
}

/// Memory for the operands of one operation.
class Operands {
 public:
  Operands(Backend& backend, const OpSpec& spec, std::int64_t scratch_bytes) : backend_(backend) {
    std::array<std::int64_t, kOperands> bytes = operand_bytes(spec);
    bytes[kScratch] = scratch_bytes;
    try {
      for (std::size_t i = 0; i < kOperands; ++i) {
        if (bytes[i] == 0) continue;
        memory_[i] = backend_.allocate(bytes[i]);
        fill(static_cast<char*>(memory_[i]), bytes[i]);
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~Operands() { release(); }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  [[nodiscard]] const std::array<void*, kOperands>& memory() const { return memory_; }

 private:
  /// Ordinary numbers: zeros and what is below the normal range take other times.
  void fill(char* to, std::int64_t bytes) {
    std::array<float, 1024> block;
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = random_unit(1, i) - 0.5F;
    constexpr auto kBlock = static_cast<std::int64_t>(sizeof block);
    for (std::int64_t at = 0; at < bytes; at += kBlock) {
      backend_.write(to + at, block.data(), std::min(kBlock, bytes - at));
    }
  }

  void release() {
    for (void* const memory : memory_) {
      if (memory != nullptr) backend_.release(memory);
    }
  }

  Backend& backend_;
  std::array<void*, kOperands> memory_{};
};

/// One operation and the ways to compute it; the first is the backend's own.
struct Question {
  std::vector<OpSpec> ways;
  std::vector<double> seconds;
};

class Chooser {
 public:
  Chooser(Backend& backend, double budget_seconds) : backend_(backend), end_(steady_seconds() + budget_seconds) {}

  /// The fastest way, or nothing if there was no time to find out.
  std::optional<KernelChoice> choose(const OpSpec& spec, const std::vector<KernelChoice>& choices) {
    Question question{{spec}, {}};
    for (const KernelChoice& choice : choices) {
      question.ways.push_back(spec);
      *choice_of(question.ways.back()) = choice;
    }
    question.seconds.assign(question.ways.size(), std::numeric_limits<double>::infinity());
    std::int64_t scratch = 0;
    for (const OpSpec& way : question.ways) scratch = std::max(scratch, backend_.scratch_bytes(way));
    std::int64_t bytes = scratch;
    for (const std::int64_t operand : operand_bytes(spec)) bytes += operand;
    if (bytes > kMostBytes || steady_seconds() > end_) return {};
    const Operands operands(backend_, spec, scratch);
    if (!time_in_turns(question, operands)) return {};
    const auto best = std::min_element(question.seconds.begin(), question.seconds.end());
    const auto at = *best < kClearlyFaster * question.seconds[0] ? best - question.seconds.begin() : 0;
    return *choice_of(question.ways[static_cast<std::size_t>(at)]);
  }

 private:
  /// False if the time ran out before each way had its turn.
  bool time_in_turns(Question& question, const Operands& operands) const {
    const double slice = (end_ - steady_seconds()) / 4 / static_cast<double>(kRounds * question.ways.size());
    std::int64_t part = kSmallestPart;
    while (part > 1) {
      const double begin = steady_seconds();
      seconds_of(question.ways[0], operands, part);
      const double elapsed = steady_seconds() - begin;
      if (4 * elapsed > slice && elapsed > kShortestSeconds) break;
      part /= 4;
    }
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < question.ways.size(); ++i) {
        if (steady_seconds() > end_) return round > 0;
        question.seconds[i] = std::min(question.seconds[i], seconds_of(question.ways[i], operands, part));
      }
    }
    return true;
  }

  /// Seconds of the preparing calls and the first 1/part of the units, stretched to all of them.
  double seconds_of(const OpSpec& way, const Operands& operands, std::int64_t part) const {
    const BoundCalls bound = backend_.bind(way, operands.memory());
    double seconds = 0;
    for (int i = 0; i < bound.count; ++i) {
      Call call = bound.calls[static_cast<std::size_t>(i)];
      const std::int64_t units = call.units;
      if (i + 1 == bound.count) call.units = std::max<std::int64_t>(1, units / part);
      const double begin = steady_seconds();
      backend_.run(call);
      backend_.synchronize(backend_.event());
      seconds += (steady_seconds() - begin) * static_cast<double>(units) / static_cast<double>(call.units);
    }
    return seconds;
  }

  Backend& backend_;
  double end_;
};

/// Calls visit(spec) for every operation of the program.
template <class Visit>
void for_each_spec(Program& program, const Visit& visit) {
  for (Node& node : program.nodes) {
    visit(node.op.spec);
    for (Op& op : node.gradient) visit(op.spec);
  }
}

}  // namespace

void choose_kernels(Program& program, Backend& backend, PlanInfo& plan) {
  const double begin = steady_seconds();
  const PlanHints hints = backend.plan_hints();
  ChoicesFile file(hints.choices_file);
  Chooser chooser(backend, hints.choosing_seconds);
  for_each_spec(program, [&](OpSpec& spec) {
    const std::vector<KernelChoice> choices = backend.choices(spec);
    if (choices.empty()) return;
    const std::string shape = fmt::format("{} {}", name_of(spec), shape_text(spec));
    const std::string key = fmt::format("{} {}", hints.choices_key, shape);
    const KernelChoice* known = file.find(key);
    if (known == nullptr && hints.choosing_seconds > 0) {
      const std::optional<KernelChoice> chosen = chooser.choose(spec, choices);
      if (!chosen) return;
      file.add(key, *chosen);
      known = file.find(key);
    }
    if (known == nullptr) return;
    *choice_of(spec) = *known;
    plan.choices.push_back(
        fmt::format("{}: rows_at_once {}, b_layout {}", shape, known->rows_at_once, known->b_layout));
  });
  file.save();
  plan.choosing_seconds = steady_seconds() - begin;
}

}  // namespace regatta::engine
