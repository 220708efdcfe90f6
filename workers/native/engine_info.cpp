#include "arm.hpp"
#include "native.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/version.hpp"
#include "regatta/engine/cpu_backend.hpp"
#include "regatta/protocol/codec.hpp"
#include "regatta/sweep/engines.hpp"

namespace regatta::worker {
namespace {

template <class Range>
std::vector<std::string> strings(const Range& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

protocol::Ready describe_engine() {
  const sweep::EngineInfo* info = sweep::find_engine("native");
  expect(info != nullptr, "the engine native is in the table");
  protocol::Ready ready;
  ready.engine = info->name;
  ready.engine_version = regatta_version();
  ready.modes = strings(info->modes);
  ready.devices = devices_with_plugins();
  ready.interventions = offered_interventions();
  ready.answers_together = true;
  ready.packed = protocol::packed_layout();
  ready.details = {{"isa", engine::cpu::make_backend({.isa = wanted_isa()})->isa()}, {"compiler", __VERSION__}};
  return ready;
}

}  // namespace regatta::worker
