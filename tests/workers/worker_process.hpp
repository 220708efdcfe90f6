// A real worker as a child, its link on descriptor 3, driven through the real codec.
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/unique_fd.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::testing {

class WorkerProcess {
 public:
  /// Starts argv[0] with `variables` ("NAME=value") added to the environment.
  explicit WorkerProcess(const std::vector<std::string>& argv, const std::vector<std::string>& variables = {});
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// All waits end after 240 s with PeerLost.
  protocol::WorkerReply ask(const protocol::WorkerRequest& request);
  protocol::WorkerReply receive() { return protocol::parse_worker_reply(receive_frame()); }
  protocol::Frame receive_frame();
  void send(std::string_view bytes);

  void close_link() { link_.reset(); }
  /// Waits for the end; the exit code, or minus the signal.
  int wait();
  /// The worker's standard output; after wait().
  std::string standard_output();

 private:
  pid_t pid_ = -1;
  UniqueFd link_;
  UniqueFd output_;
  protocol::FrameReader reader_;
};

/// The reply, which must be of this type.
template <class Reply>
Reply expect_reply(const protocol::WorkerReply& reply) {
  if (const auto* wanted = std::get_if<Reply>(&reply)) return *wanted;
  if (const auto* error = std::get_if<protocol::Error>(&reply))
    throw std::runtime_error(error->kind + ": " + error->message);
  throw std::runtime_error("a reply of another type");
}

}  // namespace regatta::testing
