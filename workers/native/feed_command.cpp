#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "link.hpp"
#include "loader_options.hpp"
#include "native.hpp"
#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::worker {
namespace {

constexpr int feed_version = 1;
// Bytes on the socket behind the first line. To the consumer: a batch is ready; the requested times follow. From the
// consumer: a batch comes back; its clock starts or stops. When the clock stops, the consumer gets the loader's times
// since the start.
constexpr char batch_byte = 'b';
constexpr char start_byte = 's';
constexpr char stop_byte = 't';
// The consumer has the deadline: it knows whether both were stopped meanwhile.
constexpr double without_deadline_seconds = 1e9;

/// The times of the batch-making threads that the consumer gets, in this order.
struct ToldTime {
  std::string_view name;
  double data::LoaderTimes::*seconds;
};
constexpr ToldTime told_times[] = {{"read", &data::LoaderTimes::read_seconds},
                                   {"decode", &data::LoaderTimes::decode_seconds},
                                   {"collate", &data::LoaderTimes::collate_seconds},
                                   {"slot_wait", &data::LoaderTimes::slot_wait_seconds}};

/// The consumer's end ends this process, whatever it waits for just then: nothing is left of it.
void end_with_consumer(int socket) {
  std::thread([socket] {
    pollfd other_end{socket, POLLRDHUP, 0};
    while (::poll(&other_end, 1, -1) < 0 && errno == EINTR) {
    }
    ::_exit(0);
  }).detach();
}

void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) throw PeerLost("the process that asked for batches is gone");
}

std::string list_of(std::span<const std::int64_t> numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

/// How the memory is cut, as JSON.
std::string layout_of(const data::Loader& loader, const data::Plan& plan, const std::vector<std::string>& names) {
  const data::SharedSlab slab = loader.shared();
  std::string fields;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const data::BatchField& field = loader.fields()[i];
    fields +=
        fmt::format(R"({}{{"name":{},"type":"{}","shape":{},"offset":{}}})", i == 0 ? "" : ",", json::quote(names[i]),
                    data::name_of(field.type), list_of(field.shape), slab.field_offsets[i]);
  }
  std::string times;
  for (const ToldTime& time : told_times) times += fmt::format(R"({}"{}")", times.empty() ? "" : ",", time.name);
  return fmt::format(
      R"({{"version":{},"depth":{},"batch":{},"steps_per_epoch":{},"slab_bytes":{},"place_bytes":{},"fields":[{}],)"
      R"("times":[{}],"times_offset":{}}})",
      feed_version, loader.depth(), data::batch_of_rank(plan), data::steps_per_epoch(plan), slab.bytes,
      slab.batch_bytes, fields, times, slab.page_offset);
}

class Feeder {
 public:
  /// Without threads no batch is made before it is asked for.
  Feeder(data::Loader& loader, int socket, int threads)
      : loader_(loader),
        socket_(socket),
        told_(reinterpret_cast<double*>(loader.shared().page)),
        most_held_(threads == 0 ? 1 : std::numeric_limits<std::size_t>::max()) {}

  /// Until the consumer is gone.
  void run() {
    do give();
    while (take_back());
  }

 private:
  [[nodiscard]] bool has_room() const { return held_.size() < most_held_ && loader_.has_room(); }

  /// All batches that are ready, or the next one.
  void give() {
    std::size_t ready = 0;
    for (; has_room() && (ready == 0 || loader_.is_ready()); ++ready) held_.push_back(loader_.next());
    if (ready == 0) return;
    write_all(socket_, std::string(ready, batch_byte));
  }

  /// Adds the loader's times since the consumer's clock started to the earlier ones, and sends them.
  void tell_times() {
    const data::LoaderTimes times = loader_.times();
    for (std::size_t i = 0; i < std::size(told_times); ++i)
      told_[i] += times.*told_times[i].seconds - started_.*told_times[i].seconds;
    write_all(socket_, {&stop_byte, 1});
  }

  void hear(char byte) {
    switch (byte) {
      case batch_byte:
        if (held_.empty()) throw PeerLost("more batches came back than were given");
        return held_.pop_front();
      case start_byte:
        started_ = loader_.times();
        return;
      case stop_byte:
        return tell_times();
      default:
        throw PeerLost("the consumer speaks nonsense");
    }
  }

  /// Reads the consumer's messages; waits where there is no room for a batch. False at the end.
  bool take_back() {
    std::array<char, 4096> bytes;
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), has_room() ? MSG_DONTWAIT : 0);
    if (count == 0) return false;
    if (count < 0) {
      if (errno == EAGAIN || errno == EINTR) return true;
      throw PeerLost(errno_text("read what came back", errno));
    }
    for (ssize_t i = 0; i < count; ++i) hear(bytes[static_cast<std::size_t>(i)]);
    return true;
  }

  data::Loader& loader_;
  int socket_;
  double* told_;
  std::size_t most_held_;
  data::LoaderTimes started_;  ///< when the consumer's clock did
  std::deque<data::Loader::Lease> held_;
};

}  // namespace

void feed(const Options& options) {
  const int most = std::numeric_limits<int>::max();
  const int socket = number_or<int>(options, "--fd", -1, 0, most);
  if (socket < 0)
    throw InputError("--fd is missing (the socket that leads to the consumer); see regatta-worker --help");
  if (::fcntl(socket, F_GETFD) < 0)
    throw InputError(fmt::format("--fd {}: no such descriptor is open (batches go there); hand over a socket", socket));
  std::signal(SIGPIPE, SIG_IGN);  // a consumer that is gone is seen as a failed write
  std::signal(SIGINT, SIG_IGN);   // Ctrl-C is the consumer's: it may go on
  end_with_consumer(socket);
  if (const int parent = number_or<int>(options, "--parent", 0, 1, most)) end_with_parent(parent);
  FeedSource source = open_feed_source(options);
  source.options.patience_seconds = without_deadline_seconds;
  std::vector<std::string> names;
  for (const data::Array& array : source.arrays) names.push_back(array.name);
  data::Plan plan = source.options.plan;
  plan.samples = source.arrays.front().count;
  const int threads = source.options.threads;
  data::Loader loader(std::move(source.arrays), std::move(source.options));
  const int memory = loader.shared().fd;
  write_all(socket, protocol::encode({layout_of(loader, plan, names), {}}), {&memory, 1});
  Feeder(loader, socket, threads).run();
}

}  // namespace regatta::worker
