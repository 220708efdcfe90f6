#include <map>
#include <new>
#include <stdexcept>
#include <string>

#include "arm.hpp"
#include "batches/pipeline.hpp"
#include "benchmark.hpp"
#include "exchange_facts.hpp"
#include "native.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/protocol/codec.hpp"
#include "same_work.hpp"
#include "train.hpp"

namespace regatta::worker {
namespace {

using protocol::Check;
using protocol::Error;
using protocol::Frame;
using protocol::Hello;
using protocol::Join;
using protocol::Prepare;
using protocol::Prepared;
using protocol::Release;
using protocol::Released;
using protocol::Samples;
using protocol::Slice;
using protocol::Stop;
using protocol::Train;
using protocol::Trained;
using protocol::WorkerReply;
using protocol::WorkerRequest;

constexpr std::size_t samples_per_piece = (std::size_t{256} << 10) / sizeof(stats::Sample);
constexpr std::int64_t max_check_steps = 1000;

/// The facts known of its scored steps.
sweep::Facts facts_of(const Arm& arm) {
  sweep::Facts facts = input_facts(arm.input_times);
  sweep::merge(facts, exchange_facts(arm));
  sweep::set(facts, sweep::Fact::graph_seconds, arm.session->plan().graph_seconds);
  if (const auto memory = device_memory(arm))  // its pool gives nothing back while the arm lives
    sweep::set(facts, sweep::Fact::device_peak_bytes, static_cast<std::int64_t>(memory->held));
  return facts;
}

class Session {
 public:
  explicit Session(Link& link) : link_(link) {}
  [[nodiscard]] bool stopped() const { return stopped_; }

  void operator()(const Hello& request) {
    if (request.version != protocol::version) {
      throw InputError("protocol version " + std::to_string(request.version) + " (this worker speaks " +
                       std::to_string(protocol::version) + "); use worker and launcher of one build");
    }
    reply(describe_engine());
  }
  void operator()(const Prepare& request) {
    arms_.erase(request.arm);
    const double start = steady_seconds();
    const Arm& arm = arms_.insert_or_assign(request.arm, prepare_arm(request, models_)).first->second;
    const double seconds = steady_seconds() - start;
    const engine::PlanInfo& plan = arm.session->plan();
    Prepared prepared{request.arm, seconds, held_bytes(arm), plan.eager_ops, {}, device_memory(arm), start};
    sweep::set(prepared.facts, sweep::Fact::plan_seconds, plan.plan_seconds);
    sweep::set(prepared.facts, sweep::Fact::kernels, kernels_text(plan));
    if (arm.group) prepared.member = arm.group->path;
    if (arm.group && arm.device.is_processor()) prepared.arithmetic = arm.backend->arithmetic();
    reply(prepared);
  }
  void operator()(const Join& request) {
    join_group(prepared(request.arm), request);
    reply(protocol::Joined{request.arm});
  }
  void operator()(const Check& request) {
    if (request.steps > max_check_steps)
      throw std::invalid_argument("a check of more than " + std::to_string(max_check_steps) + " steps");
    Arm& arm = prepared(request.arm);
    const DeviceRange trial(*arm.backend, arm.name);
    const DeviceRange range(*arm.backend, "check");
    reply(check(arm, request));
  }
  void operator()(const Slice& request) {
    Arm& arm = prepared(request.arm);
    const std::vector<stats::Sample> samples = run_slice(arm, request);
    std::size_t at = 0;
    do {
      const std::size_t end = std::min(samples.size(), at + samples_per_piece);
      Samples piece{request.arm, end == samples.size(), {}, {}};
      if (piece.last) piece.facts = facts_of(arm);
      piece.samples.assign(samples.begin() + static_cast<std::ptrdiff_t>(at),
                           samples.begin() + static_cast<std::ptrdiff_t>(end));
      reply(std::move(piece));
      at = end;
    } while (at < samples.size());
  }
  void operator()(const Train& request) {
    Arm& arm = prepared(request.arm);
    if (!data_ || data_->path != request.data_path) data_ = read_data_set(request.data_path);
    const auto tell = [&](const sweep::Learned& learned) {
      reply(protocol::Progress{request.arm, learned});
      link_.flush();  // the leg goes on
    };
    const DeviceRange trial(*arm.backend, arm.name);
    const DeviceRange range(*arm.backend, "train");
    reply(Trained{request.arm, train(arm, *data_, request, tell)});
  }
  void operator()(const Release& request) {
    arms_.erase(request.arm);
    reply(Released{request.arm});
  }
  void operator()(const Stop&) { stopped_ = true; }

  void reply(const WorkerReply& message) { link_.send(packs_ ? to_packed(message) : to_frame(message)); }
  /// Answers go in the form of the request.
  void answer_as(const Frame& request) { packs_ = is_packed(request); }

 private:
  Arm& prepared(ArmIndex arm) {
    const auto found = arms_.find(arm);
    if (found == arms_.end()) throw InternalError("arm " + std::to_string(arm.value) + " is not prepared");
    return found->second;
  }

  Link& link_;
  std::map<ArmIndex, Arm> arms_;
  LastModel models_;
  std::shared_ptr<const DataSet> data_;  ///< the last run's: the next one mostly reads the same
  bool stopped_ = false;
  bool packs_ = false;
};

std::optional<ArmIndex> arm_of(const WorkerRequest& request) {
  return std::visit(
      [](const auto& held) -> std::optional<ArmIndex> {
        if constexpr (requires { held.arm; }) return held.arm;
        return std::nullopt;
      },
      request);
}

void answer(Session& session, const WorkerRequest& request) {
  const auto fail = [&](const char* kind, const std::string& message, bool final) {
    session.reply(Error{arm_of(request), kind, message, final});
  };
  try {
    std::visit(session, request);
  } catch (const DeviceMemoryError& error) {
    fail("out_of_memory", std::string(error.what()) + " for this trial; use a smaller batch or model", true);
  } catch (const std::bad_alloc&) {
    fail("out_of_memory",
         "the engine got no memory for this trial; use a smaller batch or model, or a higher limits.memory", true);
  } catch (const InputError& error) {
    fail("unsupported", error.what(), true);
  } catch (const DeviceError& error) {
    fail("device", error.what(), false);
  } catch (const StorageError& error) {
    fail("storage", error.what(), true);
  } catch (const PeerLost&) {
    throw;
  } catch (const std::exception& error) {
    fail("reported", error.what(), true);
  }
}

void answer(Session& session, const Frame& frame) {
  std::optional<WorkerRequest> request;
  session.answer_as(frame);
  try {
    request = protocol::parse_worker_request(frame);
  } catch (const PeerLost& error) {  // the stream is still in step: only this request is lost
    session.reply(Error{std::nullopt, "reported", error.what(), true});
    return;
  }
  answer(session, *request);
}

}  // namespace

int serve(Link& link) {
  Session session(link);
  try {
    while (!session.stopped()) {
      const auto frame = link.receive();
      if (!frame) return 0;
      answer(session, *frame);
    }
    link.flush();
    return 0;
  } catch (const PeerLost& error) {
    try {
      session.reply(Error{std::nullopt, "reported", error.what(), true});
      link.flush();
    } catch (const PeerLost&) {
      return 0;  // nobody is left to tell
    }
    return 1;
  }
}

}  // namespace regatta::worker
