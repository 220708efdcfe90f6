#include "link/link_costs.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "os/wait.hpp"
#include "simulation/costs.hpp"

namespace regatta::scale {
namespace {

using launcher::Incoming;
using launcher::MpiLink;
using launcher::MpiSession;

constexpr double shortest_sleep_seconds = 20e-6;
constexpr double longest_sleep_seconds = 20e-3;
constexpr double turn_seconds = 1e-3;
constexpr double patience_seconds = 300;
constexpr int probes = 20'000;
constexpr std::size_t warm_up = 40;  // messages of each rank: the link sets up faster ways for peers that send much

struct Sizes {
  std::size_t up = 0;
  std::size_t down = 0;
};
// As results and acknowledgements, and as grants of many blocks.
constexpr std::array<Sizes, 3> sizes = {{{200, 100}, {1500, 1500}, {3500, 3500}}};

constexpr const char* meeting = R"({"k":"here"})";

protocol::Frame frame_of(std::size_t bytes) { return {R"({"k":"a message"})", std::string(bytes, 'x')}; }

void pause(double seconds) {
  launcher::wait_readable({}, Deadline::after(seconds), [=] { return seconds; });
}

/// As an idle agent waits.
Incoming wait_for_message(MpiLink& link) {
  const Deadline deadline = Deadline::after(patience_seconds);
  for (double sleep = shortest_sleep_seconds; !deadline.passed(); sleep = std::min(2 * sleep, longest_sleep_seconds)) {
    if (auto incoming = link.poll()) return *std::move(incoming);
    pause(sleep);
  }
  throw std::runtime_error("a rank does not answer");
}

void send_and_wait(MpiLink& link, std::size_t messages, const protocol::Frame& frame) {
  for (std::size_t i = 0; i < messages; ++i) {
    link.send({0}, launcher::Channel::coordinator, frame);
    static_cast<void>(wait_for_message(link));
  }
}

/// Rank 0's side.
class Server {
 public:
  Server(MpiLink& link, std::size_t others) : link_(link), others_(others) {}

  /// Answers so many messages, as the hub does.
  LinkCost serve(std::size_t messages, const Sizes& size) {
    LinkCost cost{size.up, size.down, 0, 0};
    const Deadline deadline = Deadline::after(patience_seconds);
    for (std::size_t served = 0; served < messages; pause(turn_seconds)) {
      if (deadline.passed()) throw std::runtime_error("the other ranks do not send");
      std::vector<Incoming> incoming;
      const double start = thread_seconds();
      while (auto message = link_.poll()) incoming.push_back(*std::move(message));
      const double received = thread_seconds();
      for (const Incoming& each : incoming) served += answer(each, size.down) ? 1 : 0;
      if (incoming.empty()) continue;
      cost.receive_seconds += received - start;
      cost.send_seconds += thread_seconds() - received;
    }
    cost.receive_seconds /= static_cast<double>(messages);
    cost.send_seconds /= static_cast<double>(messages);
    return cost;
  }

  /// Until all have come, and hear of it. Nothing else is on the way then.
  void meet() {
    for (; there_ < others_; ++there_) static_cast<void>(wait_for_message(link_));
    there_ = 0;
    let_go();
  }

  void let_go() {
    for (std::uint32_t agent = 1; agent <= others_; ++agent)
      link_.send({agent}, launcher::Channel::coordinator, {meeting, {}});
    while (!link_.flushed()) pause(turn_seconds);
  }

 private:
  bool answer(const Incoming& incoming, std::size_t bytes) {
    if (incoming.frame.header == meeting) {
      ++there_;
      return false;
    }
    link_.send(incoming.from, launcher::Channel::coordinator, frame_of(bytes));
    return true;
  }

  MpiLink& link_;
  std::size_t others_;
  std::size_t there_ = 0;  ///< how many wait for the meeting
};

double probe_seconds(MpiLink& link) {
  const double start = thread_seconds();
  for (int i = 0; i < probes; ++i) static_cast<void>(link.poll());
  return (thread_seconds() - start) / probes;
}

}  // namespace

LinkFigures link_costs(const MpiSession& mpi, MpiLink& link, std::size_t messages_of_each) {
  LinkFigures figures;
  const auto others = static_cast<std::size_t>(mpi.size() - 1);
  Server server(link, others);
  const auto exchange = [&](std::size_t each, const Sizes& size) {
    LinkCost cost;
    if (mpi.rank() == 0) {
      cost = server.serve(each * others, size);
      server.meet();
    } else {
      send_and_wait(link, each, frame_of(size.up));
      send_and_wait(link, 1, {meeting, {}});
    }
    return cost;
  };
  exchange(warm_up, sizes.front());
  for (const Sizes& size : sizes) figures.costs.push_back(exchange(messages_of_each, size));
  if (mpi.rank() == 0) {
    figures.probe_seconds = probe_seconds(link);  // nobody sends anything
    server.let_go();
  } else {
    static_cast<void>(wait_for_message(link));
  }
  return figures;
}

}  // namespace regatta::scale
