// The state of a block's device, looked at when the block ends.
#pragma once

#include <functional>

#include "devices/care.hpp"
#include "devices/health.hpp"
#include "devices/state.hpp"
#include "measuring/agent_slot.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::launcher {

/// Answers about a device; both have deadlines.
struct DeviceAnswers {
  std::function<DeviceState()> state;   ///< empty where nobody answers
  std::function<DeviceHealth()> check;  ///< with a problem where nobody answers
  double memory_patience_seconds = 10;  ///< until its memory is free after a death
};

/// Asks `regatta-worker devices` on the slot, whose device must be there.
DeviceAnswers ask_on_slot(AgentSlot& slot);

/// Whether an arm of the block computes on the device.
bool uses_device(const DeviceCare& care, const sweep::BlockTask& task);

/// The device before the block, for watch_device; empty where it is not used, or nobody answers.
DeviceState look_before(const DeviceCare& care, const sweep::BlockTask& task, const DeviceAnswers& answers);

/// Notes how the block ended. After a death on the device its memory is waited for and it is checked, before anything
/// else is measured on it; so one that does not compute any more, or on which several trials in a row died, is set
/// aside. A result gets what the device told before it and tells now, and the flag `device throttled` where heat or its
/// power supply slows the device now, or heat did during a noticeable part of the block.
void watch_device(DeviceCare& care, const sweep::BlockTask& task, const DeviceState& before,
                  measure::BlockOutcome& outcome, const DeviceAnswers& answers);

}  // namespace regatta::launcher
