#include <limits>
#include <vector>

#include "regatta/report/export.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using analysis::Contrast;

/// In the unit of the result, in place of the ratio.
void take_difference(results::ContrastRow& row, const Contrast& contrast) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const analysis::Difference& difference = *contrast.difference;
  row.ratio = unknown;
  row.difference = difference.value;
  row.low = difference.low.value_or(unknown);
  row.high = difference.high.value_or(unknown);
  row.margin = difference.margin;
  row.resolution = resolution_in_unit(contrast).value_or(unknown);
}

}  // namespace

std::vector<results::ContrastRow> contrast_rows(const results::Results& results, const analysis::Contrasts& contrasts) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<results::ContrastRow> rows;
  for (const Contrast& contrast : contrasts.contrasts) {
    rows.push_back({contrast.block,
                    contrast.a,
                    contrast.b,
                    contrast.ratio,
                    contrast.low.value_or(unknown),
                    contrast.high.value_or(unknown),
                    contrast.margin,
                    contrast.resolution.value_or(unknown),
                    contrast.e_value,
                    contrast.squares,
                    contrast.processes,
                    verdict_text(contrast),
                    contrast.confirmed,
                    analysis::why_stopped_text(contrast),
                    stats::text_of(contrast.flags),
                    contrast_sentence(results, contrasts, contrast),
                    metric_name(contrasts, contrast.metric),
                    metric_unit(contrasts, contrast.metric),
                    sweep::name_of(scale_of(contrast)),
                    unknown,
                    replicates_text(contrast)});
    if (contrast.difference) take_difference(rows.back(), contrast);
  }
  return rows;
}

}  // namespace regatta::report
