// Whether more ranks of a trial pay, and what stops them.
#pragma once

#include <string>
#include <vector>

#include "report/findings/view.hpp"

namespace regatta::report {

/// Whether more ranks pay, and up to where: "pays up to 4 ranks: 2.67x faster [...] than one rank, efficiency 67 %
/// ...".
std::string rank_answer(const analysis::RankScaling& group);

/// Why more ranks do not gain more: "at 8 ranks: held back by the exchange, ..."; empty where nothing tells.
std::string rank_reason(const analysis::RankScaling& group);

/// "86 % [83, 90]".
std::string share_text(const stats::Estimate& share);

/// "native graph mlp-784: pays up to 4 ranks: ...", one for each group that was judged.
std::vector<std::string> rank_answers(const View& view);

/// One for each reason why others were not judged, with their names.
std::vector<std::string> unknown_rank_answers(const View& view);

/// "native graph mlp-784: at 8 ranks: held back by the exchange ...", one for each group that tells.
std::vector<std::string> rank_reasons(const View& view);

/// "pays up" -> "Pays up": a sentence where the name stands elsewhere.
std::string capitalized(std::string text);

}  // namespace regatta::report
