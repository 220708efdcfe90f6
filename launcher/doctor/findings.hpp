// The doctor's findings: lines with advice, engines, devices.
#pragma once

#include <string>
#include <vector>

namespace regatta::launcher {

/// One thing looked at.
struct DoctorLine {
  enum class State { ok, degraded, missing };
  std::string what;
  State state = State::ok;
  std::string detail;
  std::string advice;  ///< empty if there is nothing to do
};

/// One installation of an engine, or an engine that has none.
struct EngineFound {
  std::string name;
  std::string environment;
  std::string version;
  std::vector<std::string> modes;
  std::vector<std::string> devices;
  std::string problem;  ///< empty: it works
};

struct DeviceFound {
  std::string kind;        ///< "cpu"
  std::string name;        ///< "cores 0,1"
  std::vector<int> cores;  ///< as the kernel numbers them
};

}  // namespace regatta::launcher
