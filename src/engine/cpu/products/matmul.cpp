// Matrix products: which kernel suits the shape, and its launch.
#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/products/products.hpp"

namespace regatta::engine::cpu {

namespace {

enum class Way {
  dots,          ///< c is a column: a dot product for each row of a
  dots_swapped,  ///< c is a row and b is transposed: a dot product for each row of b
  row,           ///< c is a column and a is transposed: c^T = b^T a, with a's rows as they lie
  few_columns,   ///< one row, and kFewColumns at most
  outer,         ///< one term: a column times a row
  outer_b,       ///< b is such a product, made on the way
  direct,        ///< b is read where it is
  packed,        ///< b is first copied into panels, the columns of a too where sums are long
};

constexpr std::int64_t kDirectFloats = 4096;  ///< size of b: 16 KiB, half of a first-level cache
constexpr std::int64_t kTilesOfRows = 4;      ///< in one unit: their block of a stays in the second-level cache
constexpr std::int64_t kPanelsOfUnit = 4;     ///< in one unit where rows are too few to split
constexpr std::int64_t kUnitsOfLongSum = 2;   ///< at once, where each block of the sum comes back to c
constexpr std::int64_t kPanelsOfLongSum = 4;  ///< in one unit of rows, and in c at least, where a is packed, too
constexpr std::int32_t kReadInPlace = 1, kCopyFirst = 2;  // KernelChoice::b_layout

/// Whether rows of so many columns can be read where they lie without reading beyond them.
bool readable(const KernelTable& kernels, std::int64_t columns) {
  return kernels.masked_loads || columns % kernels.panel == 0;
}

bool is_outer_product(const MatMul& op) {
  const bool plain = !op.add_bias && op.activation == Activation::none && !op.add_to_c;
  return op.k == 1 && plain && (op.derivative == Activation::none || op.derivative == Activation::relu);
}

bool has_few_columns(const KernelTable& kernels, const MatMul& op) {
  const bool is_forward = !op.transpose_a && !op.transpose_b && op.derivative == Activation::none && !op.add_to_c;
  return is_forward && op.m == 1 && op.n <= kFewColumns && kernels.masked_loads;
}

/// Whether a long sum over rows of a and b is worth copying both: their rows lie far apart.
bool packs_both(const KernelTable& kernels, const MatMul& op) {
  const bool plain = !op.add_bias && op.activation == Activation::none && op.derivative == Activation::none;
  const std::int64_t least = kPanelsOfLongSum * kernels.panel;
  return op.transpose_a && plain && !op.outer_b && op.k > kernels.block && op.m >= least && op.n >= least;
}

Way choose(const KernelTable& kernels, const MatMul& op) {
  if (op.outer_b) return Way::outer_b;
  const bool b_contiguous = !op.transpose_b || op.k == 1;  // a column (n, 1) is a row (1, n)
  if (op.n == 1 && !op.transpose_a) return Way::dots;
  if (op.n == 1 && readable(kernels, op.m)) return Way::row;
  if (op.m == 1 && !b_contiguous) return Way::dots_swapped;
  if (is_outer_product(op)) return Way::outer;
  if (has_few_columns(kernels, op)) return Way::few_columns;
  if (packs_both(kernels, op)) return Way::packed;
  if (!b_contiguous || !readable(kernels, op.n)) return Way::packed;
  if (op.choice.b_layout == kReadInPlace) return Way::direct;
  if (op.choice.b_layout == kCopyFirst) return Way::packed;
  const bool few_rows = op.m <= kernels.tile_rows;  // each panel is read once or twice: packing costs as much
  const bool near = op.n <= kernels.panel || op.k * op.n <= kDirectFloats;
  return few_rows || near ? Way::direct : Way::packed;
}

/// Terms of one block of the sum: those over rows of the batch may be taken in several operations, cut where all are.
std::int64_t block_of(const KernelTable& kernels, const MatMul& op) {
  return op.transpose_a ? kernels.block : kernels.deep_block;
}

GemmView base_view(const Call& call, const MatMul& op) {
  return {.m = op.m,
          .n = op.n,
          .k = op.k,
          .a = in(call, 0),
          .a_row = op.transpose_a ? 1 : op.k,
          .a_k = op.transpose_a ? op.m : 1,
          .b = in(call, 1),
          .b_k = op.n,
          .b_panel = kernels_of(call).panel,
          .c = out(call, 2),
          .c_row = op.n,
          .bias = in(call, 3),
          .activation = op.activation,
          .saved = in(call, 4),
          .saved_row = op.n,
          .derivative = op.derivative,
          .add_to_c = op.add_to_c,
          .depth = block_of(kernels_of(call), op)};
}

void sum_columns(const Call& call, const MatMul& op) {
  if (!op.sum_columns) return;
  const auto sum = op.add_to_c ? kernels_of(call).add_column_sum : kernels_of(call).column_sum;
  sum(in(call, 1), op.k, op.n, 0, op.n, out(call, 5));
}

void launch_dots(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  const auto& op = spec_of<MatMul>(call);
  sum_columns(call, op);
  kernels_of(call).dots(base_view(call, op));
}

void launch_dots_swapped(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  const auto& op = spec_of<MatMul>(call);
  GemmView view = base_view(call, op);
  view.m = op.n;
  view.n = 1;
  view.a = in(call, 1);
  view.b = in(call, 0);
  view.a_row = op.k;
  view.a_k = 1;
  view.c_row = view.saved_row = 1;
  kernels_of(call).dots(view);
}

void launch_row(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  const auto& op = spec_of<MatMul>(call);
  sum_columns(call, op);
  GemmView view = base_view(call, op);
  view.m = 1;
  view.n = op.m;
  view.a = in(call, 1);
  view.a_row = op.k;
  view.a_k = 1;
  view.b = in(call, 0);
  view.b_k = op.m;
  view.c_row = op.m;
  kernels_of(call).gemm(view);
}

void launch_few_columns(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  kernels_of(call).few_columns(base_view(call, spec_of<MatMul>(call)));
}

void launch_outer(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  const auto& op = spec_of<MatMul>(call);
  sum_columns(call, op);
  kernels_of(call).outer_product(base_view(call, op));
}

void launch_outer_b(const Call& call, std::int64_t /*begin*/, std::int64_t /*end*/) {
  const auto& op = spec_of<MatMul>(call);
  kernels_of(call).outer_gradient({.m = op.m,
                                   .n = op.n,
                                   .k = op.k,
                                   .a = in(call, 0),
                                   .a_k = op.m,
                                   .column = in(call, 1),
                                   .row = in(call, 3),
                                   .saved = op.derivative == Activation::relu ? in(call, 4) : nullptr,
                                   .c = out(call, 2),
                                   .sums = op.sum_columns ? out(call, 5) : nullptr,
                                   .add_to_c = op.add_to_c});
}

/// How a product is cut into units: blocks of rows, and of columns where rows are few.
struct Grid {
  std::int64_t rows, columns;  ///< size of a unit
  std::int64_t row_units, column_units;
};

Grid grid_of(const KernelTable& kernels, const MatMul& op) {
  if (packs_both(kernels, op)) {
    const std::int64_t rows = kPanelsOfLongSum * kernels.panel;
    return {rows, op.n, divide_up(op.m, rows), 1};
  }
  const std::int64_t rows = kTilesOfRows * kernels.tile_rows;
  const std::int64_t columns = op.m <= rows ? kPanelsOfUnit * kernels.panel : op.n;
  return {rows, columns, divide_up(op.m, rows), divide_up(op.n, columns)};
}

/// Rows of c that are multiplied together: a long sum adds its blocks to them one after the other.
std::int64_t units_at_once(const KernelTable& kernels, const MatMul& op, const Grid& grid) {
  if (grid.column_units > 1) return grid.column_units;
  const std::int64_t units = op.choice.rows_at_once / grid.rows;
  if (units > 0) return units;
  return op.k > kernels.block ? kUnitsOfLongSum : 1;
}

/// Units [begin, end) with b in `view`: neighbours together, in a row of units or a column.
void run_units(const Call& call, const MatMul& op, const GemmView& whole, std::int64_t begin, std::int64_t end) {
  const KernelTable& kernels = kernels_of(call);
  const Grid grid = grid_of(kernels, op);
  const std::int64_t at_once = units_at_once(kernels, op, grid);
  for (std::int64_t unit = begin; unit < end;) {
    const std::int64_t whole_row = grid.column_units > 1 ? unit % at_once : 0;
    const std::int64_t stop = std::min(end, unit - whole_row + at_once);
    const std::int64_t row = unit / grid.column_units * grid.rows;
    const std::int64_t column = unit % grid.column_units * grid.columns;
    const std::int64_t end_row = std::min(op.m, divide_up(stop, grid.column_units) * grid.rows);
    const std::int64_t end_column = grid.column_units > 1 ? column + (stop - unit) * grid.columns : op.n;
    GemmView view = whole;
    view.m = end_row - row;
    view.n = std::min(op.n, end_column) - column;
    view.a += row * view.a_row;
    view.b += column / kernels.panel * view.b_panel;
    view.c += row * view.c_row + column;
    if (view.bias != nullptr) view.bias += column;
    if (view.saved != nullptr) view.saved += row * view.saved_row + column;
    if (packs_both(kernels, op)) {
      view.a = whole.a + row * op.k;
      multiply_panels(kernels, view, kernels.panel * op.k);
    } else {
      kernels.gemm(view);
    }
    unit = stop;
  }
}

void launch_direct(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<MatMul>(call);
  if (begin == 0) sum_columns(call, op);
  run_units(call, op, base_view(call, op), begin, end);
}

void launch_pack(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<MatMul>(call);
  kernels_of(call).pack({.b = in(call, 1),
                         .k = op.k,
                         .n = op.n,
                         .row_stride = op.transpose_b ? 1 : op.n,
                         .column_stride = op.transpose_b ? op.k : 1,
                         .first_panel = begin,
                         .end_panel = end,
                         .panels = out(call, kScratch)});
}

/// The panels of a lie behind those of b.
float* panels_of_a(const Call& call, const MatMul& op) {
  return out(call, kScratch) + packed_floats(kernels_of(call), op.k, op.n);
}

void launch_pack_a(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<MatMul>(call);
  kernels_of(call).pack({.b = in(call, 0),
                         .k = op.k,
                         .n = op.m,
                         .row_stride = op.m,
                         .column_stride = 1,
                         .first_panel = begin,
                         .end_panel = end,
                         .panels = panels_of_a(call, op)});
}

void launch_packed(const Call& call, std::int64_t begin, std::int64_t end) {
  const auto& op = spec_of<MatMul>(call);
  if (begin == 0) sum_columns(call, op);
  GemmView view = base_view(call, op);
  if (packs_both(kernels_of(call), op)) view.a = panels_of_a(call, op);
  view.b = in(call, kScratch);
  view.b_k = kernels_of(call).panel;
  view.b_panel = op.k * view.b_k;
  run_units(call, op, view, begin, end);
}

Launch launch_of(Way way) {
  switch (way) {
    case Way::dots:
      return launch_dots;
    case Way::dots_swapped:
      return launch_dots_swapped;
    case Way::row:
      return launch_row;
    case Way::few_columns:
      return launch_few_columns;
    case Way::outer:
      return launch_outer;
    case Way::outer_b:
      return launch_outer_b;
    case Way::direct:
      return launch_direct;
    case Way::packed:
      break;
  }
  return launch_packed;
}

}  // namespace

std::int64_t matmul_scratch_bytes(const KernelTable& kernels, const MatMul& op) {
  if (choose(kernels, op) != Way::packed) return 0;
  const std::int64_t bytes_of_a = packs_both(kernels, op) ? packed_bytes(kernels, op.k, op.m) : 0;
  return packed_bytes(kernels, op.k, op.n) + bytes_of_a;
}

bool matmul_packs_b_alone(const KernelTable& kernels, const MatMul& op) {
  return choose(kernels, op) == Way::packed && !packs_both(kernels, op) && !op.sum_columns;  // these are of b in place
}

std::vector<KernelChoice> matmul_choices(const KernelTable& kernels, const MatMul& op) {
  const Way own = choose(kernels, op);
  if (own != Way::direct && own != Way::packed) return {};
  std::vector<KernelChoice> found;
  MatMul other = op;
  other.choice.b_layout = own == Way::direct ? kCopyFirst : kReadInPlace;
  if (choose(kernels, other) != own) found.push_back(other.choice);
  const Grid grid = grid_of(kernels, op);
  if (op.k <= kernels.block || grid.row_units <= kUnitsOfLongSum) return found;
  for (const std::int64_t units : {1, 4, 8}) found.push_back({static_cast<std::int32_t>(units * grid.rows), 0});
  return found;
}

BoundCalls bind_matmul(const Target& target, const MatMul& op, const Memory& memory) {
  const Way way = choose(*target.kernels, op);
  const std::int64_t panel = target.kernels->panel;
  BoundCalls bound;
  const auto add = [&](Launch launch) -> Call& {
    Call& call = bound.calls[static_cast<std::size_t>(bound.count++)];
    call = make_call(target, op, memory, launch);
    return call;
  };
  const auto packing = static_cast<double>(4 * op.k * panel);
  if (way == Way::packed) split(target, add(launch_pack), divide_up(op.n, panel), packing);
  if (packs_both(*target.kernels, op)) split(target, add(launch_pack_a), divide_up(op.m, panel), packing);
  Call& call = add(launch_of(way));
  if (way != Way::direct && way != Way::packed) return bound;
  const Grid grid = grid_of(*target.kernels, op);
  const std::int64_t units = grid.row_units * grid.column_units;
  if (grid.column_units == 1) call.notes[kProduces] = grid.rows * op.n;
  call.notes[kTogether] = units_at_once(*target.kernels, op, grid);
  split(target, call, units,
        2.0 * static_cast<double>(op.m * op.n) * static_cast<double>(op.k) / static_cast<double>(units));
  if (call.notes[kGrain] > 0)
    call.notes[kGrain] = std::max(call.notes[kGrain], std::min(call.notes[kTogether], units / target.threads));
  return bound;
}

}  // namespace regatta::engine::cpu
