// How far what two arms computed lies apart, in the numbers that the same-work check judges.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "regatta/protocol/messages.hpp"

namespace regatta::measure {

/// Losses below it are compared absolutely: the loss of a sample that is known well is a difference of larger numbers.
inline constexpr double small_loss = 1e-2;
/// A tensor with a smaller share of the largest norm is judged by that share: what cancels to nothing has no digits.
inline constexpr double small_norm = 1e-3;

/// Why two reports cannot be compared number by number (other counts, other names); empty: they can.
std::string other_shape(const protocol::Checked& a, const protocol::Checked& b);

/// The same results without the things that two engines do not share: names of tensors, their order, transposed
/// kernels. A tensor keeps its norm alone, by its place in the order of size. `joins`: all tensors are one, where one
/// model keeps its weights in more tensors than the other.
protocol::Checked without_layout(protocol::Checked checked, bool joins);

/// "the models have 10 and 12 weights"; empty where both have as many, or do not tell it.
std::string other_number_of_weights(const protocol::Checked& a, const protocol::Checked& b);

/// "the models start from other weights (norms 8.1 and 9.3)"; empty where they start alike, or do not tell it.
std::string other_start(const protocol::Checked& a, const protocol::Checked& b);

/// The row of a step that lies furthest apart. `apart` is relative to the largest of both values, the mean size of the
/// step's values and `small_loss`; infinite where a value is no number.
struct LossApart {
  std::size_t step = 0;
  std::size_t row = 0;
  double a = 0;
  double b = 0;
  double apart = 0;
};
LossApart loss_apart(const protocol::Checked& a, const protocol::Checked& b, std::size_t step);

/// By tensor: the root mean square of the differences of the random sums (or the difference of the norms, if that is
/// larger) less `resolution`, relative to the larger norm.
using TensorsApart = std::map<std::string, double>;
TensorsApart tensors_apart(const protocol::Projections& a, const protocol::Projections& b,
                           const std::map<std::string, double>& resolution = {});
/// The largest of them; 0 if there are none.
double furthest(const TensorsApart& tensors);
/// The largest distance of each tensor over all steps.
TensorsApart over_steps(const std::vector<TensorsApart>& steps);

/// The norm of all tensors of `a` together over that of `b`, less 1. Rounding hardly moves it, for what it changes has
/// no direction; a gradient of another scale or loss does.
double norms_apart(const protocol::Projections& a, const protocol::Projections& b);

/// How far the probes of two optimizers lie apart first, as text; empty: they agree within `allowed` (relative).
std::string probes_apart(const std::vector<double>& a, const std::vector<double>& b, double allowed);

/// How far the mean results of a step lie apart at most, relative; infinite where steps or rows differ.
double means_apart(const protocol::Checked& a, const protocol::Checked& b);

/// How far an arm's own results move when its weights are rounded otherwise: per step, relative as above.
struct Sensitivity {
  std::vector<double> losses;
  std::vector<TensorsApart> gradients;  ///< empty where there is no evidence
  std::vector<TensorsApart> updates;    ///< the same
};
/// From two checks whose weights were moved at random, each in its own way; empty where they cannot be compared.
Sensitivity sensitivity_of(const protocol::Checked& one, const protocol::Checked& other);

}  // namespace regatta::measure
