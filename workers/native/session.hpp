// Does what the agent asks, one request after the other, and decides nothing.
#pragma once

#include "link.hpp"

namespace regatta::worker {

/// Serves requests until `stop` or the end of the link. Returns the exit code: 0, or 1 if what arrived was no frame.
int serve(Link& link);

}  // namespace regatta::worker
