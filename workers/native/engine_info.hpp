// What this worker says about itself.
#pragma once

#include "regatta/protocol/messages.hpp"

namespace regatta::worker {

protocol::Ready describe_engine();

}  // namespace regatta::worker
