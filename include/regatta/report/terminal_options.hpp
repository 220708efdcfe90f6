// The terminal that a report is written for.
#pragma once

namespace regatta::report {

struct TerminalOptions {
  int columns = 80;
  bool colour = false;
  bool utf8 = false;     ///< its locale's encoding: it can show the blocks of curves
  bool details = false;  ///< all tables and checks beside the answer
  int most_rows = 400;   ///< trials listed; the rest is counted
};

}  // namespace regatta::report
