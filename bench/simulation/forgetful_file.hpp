// A log file that keeps nothing of what is appended and counts how often it is synced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "regatta/results/log_file.hpp"

namespace regatta::scale {

class ForgetfulFile : public results::LogFile {
 public:
  explicit ForgetfulFile(std::uint64_t& syncs) : syncs_(syncs) {}

  [[nodiscard]] std::string name() const override { return "nowhere"; }
  [[nodiscard]] std::uint64_t size_bytes() const override { return 0; }
  [[nodiscard]] std::string read(std::uint64_t, std::uint64_t) const override { return {}; }
  void append(std::string_view bytes) override { bytes_ += bytes.size(); }
  void sync() override { ++syncs_; }
  void truncate(std::uint64_t) override {}

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t& syncs_;
  std::uint64_t bytes_ = 0;
};

}  // namespace regatta::scale
