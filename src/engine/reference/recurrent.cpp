// LSTM, position by position and unit by unit, and its gradients.
#include <algorithm>

#include "engine/reference/kernels.hpp"
#include "engine/reference/scalar.hpp"

namespace regatta::engine::reference {

namespace {

const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }

/// Index of (sample, position) in tensors of (batch, length, ...); `number` counts from the first one computed.
std::int64_t place_of(const LstmShape& s, std::int64_t sample, std::int64_t number) {
  return sample * s.length + (s.reverse ? s.length - 1 - number : number);
}

/// The four gates of a unit, before or after their activation.
struct Gates {
  double i, f, g, o;
};

Gates gates_at(const LstmShape& s, const float* gates, std::int64_t place, std::int64_t unit) {
  const float* const at = gates + place * 4 * s.units + unit;
  return {at[0], at[s.units], at[2 * s.units], at[3 * s.units]};
}

void put_gates(const LstmShape& s, float* gates, std::int64_t place, std::int64_t unit, const Gates& values) {
  float* const at = gates + place * 4 * s.units + unit;
  at[0] = static_cast<float>(values.i);
  at[s.units] = static_cast<float>(values.f);
  at[2 * s.units] = static_cast<float>(values.g);
  at[3 * s.units] = static_cast<float>(values.o);
}

/// Adds the states before, times the recurrent kernel, to all gates of a position.
void add_states(const LstmShape& s, const Memory& memory, std::int64_t place, std::int64_t before) {
  const float* const states = in(memory, 2) + before * s.row + s.offset;
  for (std::int64_t column = 0; column < 4 * s.units; ++column) {
    double sum = 0;
    for (std::int64_t unit = 0; unit < s.units; ++unit) {
      sum += static_cast<double>(states[unit]) * in(memory, 1)[unit * 4 * s.units + column];
    }
    float& gate = out(memory, 0)[place * 4 * s.units + column];
    gate = static_cast<float>(gate + sum);
  }
}

/// Gradients of the states and cells of one sample, carried from position to position.
struct Carried {
  std::vector<double> states, cells;
};

/// One position backwards: gates become their gradients; `carried.cells` moves to the position before.
void position_gradient(const LstmGradient& op, const Memory& memory, std::int64_t place, std::int64_t before,
                       const float* above, Carried& carried) {
  const LstmShape& s = op.shape;
  for (std::int64_t unit = 0; unit < s.units; ++unit) {
    const auto at = static_cast<std::size_t>(unit);
    const Gates gates = gates_at(s, in(memory, 1), place, unit);
    const double dstate = carried.states[at] + (above != nullptr ? above[unit] : 0.0F);
    const double output = activate(op.activation, in(memory, 3)[place * s.units + unit]);
    const double dcell = carried.cells[at] + dstate * gates.o * derivative(op.activation, output);
    const double cell_before = before >= 0 ? in(memory, 3)[before * s.units + unit] : 0.0F;
    const auto sigmoid = Activation::sigmoid;
    put_gates(s, out(memory, 1), place, unit,
              {dcell * gates.g * derivative(sigmoid, gates.i), dcell * cell_before * derivative(sigmoid, gates.f),
               dcell * gates.i * derivative(op.activation, gates.g), dstate * output * derivative(sigmoid, gates.o)});
    carried.cells[at] = dcell * gates.f;
  }
  for (std::int64_t unit = 0; unit < s.units; ++unit) {
    double sum = 0;
    for (std::int64_t column = 0; column < 4 * s.units; ++column) {
      sum +=
          static_cast<double>(in(memory, 1)[place * 4 * s.units + column]) * in(memory, 2)[unit * 4 * s.units + column];
    }
    carried.states[static_cast<std::size_t>(unit)] = sum;
  }
}

}  // namespace

void run(const Lstm& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  for (std::int64_t sample = 0; sample < s.batch; ++sample) {
    for (std::int64_t number = 0; number < s.length; ++number) {
      const std::int64_t place = place_of(s, sample, number);
      const std::int64_t before = number > 0 ? place_of(s, sample, number - 1) : -1;
      if (number > 0) add_states(s, memory, place, before);
      for (std::int64_t unit = 0; unit < s.units; ++unit) {
        Gates gates = gates_at(s, in(memory, 0), place, unit);
        gates = {activate(Activation::sigmoid, gates.i), activate(Activation::sigmoid, gates.f),
                 activate(op.activation, gates.g), activate(Activation::sigmoid, gates.o)};
        const double cell_before = number > 0 ? in(memory, 3)[before * s.units + unit] : 0.0F;
        const double cell = gates.f * cell_before + gates.i * gates.g;
        put_gates(s, out(memory, 0), place, unit, gates);
        out(memory, 3)[place * s.units + unit] = static_cast<float>(cell);
        out(memory, 2)[place * s.row + s.offset + unit] = static_cast<float>(gates.o * activate(op.activation, cell));
      }
    }
  }
}

void run(const LstmGradient& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  for (std::int64_t sample = 0; sample < s.batch; ++sample) {
    const std::vector<double> zeros(static_cast<std::size_t>(s.units));
    Carried carried{zeros, zeros};
    for (std::int64_t number = s.length - 1; number >= 0; --number) {
      const std::int64_t place = place_of(s, sample, number);
      const std::int64_t before = number > 0 ? place_of(s, sample, number - 1) : -1;
      const float* above = nullptr;
      if (!op.last) above = in(memory, 0) + place * s.row + s.offset;
      if (op.last && number == s.length - 1) above = in(memory, 0) + sample * s.row + s.offset;
      position_gradient(op, memory, place, before, above, carried);
    }
  }
}

void run(const LstmRecurrentGradient& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  for (std::int64_t unit = 0; unit < s.units; ++unit) {
    for (std::int64_t column = 0; column < 4 * s.units; ++column) {
      double sum = 0;
      for (std::int64_t sample = 0; sample < s.batch; ++sample) {
        for (std::int64_t number = 1; number < s.length; ++number) {
          const double state = in(memory, 0)[place_of(s, sample, number - 1) * s.row + s.offset + unit];
          sum += state * in(memory, 1)[place_of(s, sample, number) * 4 * s.units + column];
        }
      }
      out(memory, 2)[unit * 4 * s.units + column] = static_cast<float>(sum);
    }
  }
  if (op.sum_columns) run(ColumnSum{s.batch * s.length, 4 * s.units}, {memory[1], memory[5]});
}

void run(const LstmLast& op, const Memory& memory) {
  const LstmShape& s = op.shape;
  for (std::int64_t sample = 0; sample < s.batch; ++sample) {
    const float* const from = in(memory, 0) + place_of(s, sample, s.length - 1) * s.row + s.offset;
    std::copy_n(from, s.units, out(memory, 1) + sample * s.row + s.offset);
  }
}

void enter_recurrent(Kernels& kernels) {
  enter<Lstm, LstmGradient, LstmRecurrentGradient, LstmLast>(
      kernels, [](const auto& op, const Memory& memory) { run(op, memory); });
}

}  // namespace regatta::engine::reference
