#include "regatta/engine/plugin.hpp"

namespace regatta::engine {

const char* plugin_build_id() { return REGATTA_ENGINE_BUILD_ID; }

}  // namespace regatta::engine
