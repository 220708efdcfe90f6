// The program `regatta-worker`: session, benchmark loop and training, and its commands.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device.hpp"
#include "link.hpp"
#include "options.hpp"
#include "regatta/data/array.hpp"
#include "regatta/data/loader.hpp"
#include "regatta/engine/device_group.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::worker {

// calibrate_command.cpp: `regatta-worker calibrate`: what the cores of this slot can do at most.

/// Measures for some 0.3 s with `threads` threads, one on each core that this process may use, and returns one JSON
/// object (docs/reference/results.md, "Calibration"):
/// {"threads": n, "isa": "avx512", "core_peak_flops_per_second": F, "peak_flops_per_second": F,
///  "memory_bytes_per_second": B, "copy_bytes_per_second": B}; the peaks are null where they are unknown.
std::string calibrate(std::int64_t threads);

// calibrate_device.cpp: `regatta-worker calibrate --device NAME`: what a device can do at most.

/// Measures for a second or two and returns one JSON object (docs/reference/results.md, "/devices"):
/// {"uuid": "GPU-...", "name": "...", "fp32_flops_per_second": F, "tf32_flops_per_second": F, "bf16_flops_per_second":
/// F,
///  "memory_bytes_per_second": B, "upload_bytes_per_second": B, "download_bytes_per_second": B, "launch_seconds": S,
///  "node_seconds": S}; a precision that its plugin refuses is null. Throws DeviceError for a device that is not there.
std::string calibrate_device(const Device& device);

// cut_files.cpp: Files that somebody cuts short while they are mapped.

/// From here on reading behind the new end of a mapped file ends this process with exit code 2 and one line, instead of
/// a signal that says nothing. For commands: a worker that serves an agent maps no data file.
void end_where_a_file_was_cut();

// device_group.cpp: Ranks that compute on devices: how they find each other. A rank shows to the others
// (protocol::Prepared::member) the device that it computes on and, as rank 0, the id of their group.

/// "GPU-..." or, of rank 0, "GPU-... ID". Throws InputError where its plugin has no groups here, and says why.
std::string device_member(const Device& device, std::uint32_t rank);

/// The id among what all ranks offer. Throws InputError where two of them are on one device.
std::string group_id_among(const std::vector<std::string>& members);

/// Waits for the others. Throws InputError where two ranks are on one device; DeviceError where one does not come.
std::unique_ptr<engine::DeviceGroup> join_devices(const Device& device, std::uint32_t rank,
                                                  const protocol::Join& request);

// engine_info.cpp: This worker's description of itself.

protocol::Ready describe_engine();

// feed_command.cpp: `regatta-worker feed`: the loader as a process, whose batches another one reads where they were
// made.

/// Makes batches in memory that it shares, until its consumer closes the other end of the socket --fd N; with --parent
/// PID it also ends with the thread of that process which started it. The consumer is sent one line of JSON with the
/// memory's descriptor beside it, then a byte for each batch that is ready, in order; it sends a byte for each that it
/// gives back (docs/reference/worker-protocol.md, "Feed"). Without threads a batch is made when the one before came
/// back. Throws InputError, PeerLost.
void feed(const std::map<std::string_view, std::string_view>& options);

// feed_sources.cpp: The sources that `regatta-worker feed` makes batches of.

struct FeedSource {
  std::vector<data::Array> arrays;
  data::LoaderOptions options;
};

/// The options that the source named in `words` knows: --data, --batches or --training. Throws InputError unless there
/// is exactly one of them.
std::vector<std::string_view> feed_options(const std::vector<std::string_view>& words);

/// Throws InputError for files that cannot be read, or not as they are asked for.
FeedSource open_feed_source(const Options& options);

// kernel_choices.cpp: Where the engine keeps the kernels that it chose by timing.

/// Time that a session may spend on choosing kernels that the file does not know.
inline constexpr double choosing_seconds = 0.2;
/// The same on a device, whose libraries make their kernels first.
inline constexpr double device_choosing_seconds = 2;

/// A file of the user's cache, of this processor and this build; empty if there is no such folder.
std::string kernel_choices_file();

/// The same of a device: `key` says which, and all that its choices depend on beside this build.
std::string kernel_choices_file(const std::string& key);

// load_command.cpp: `regatta-worker load`: the loader alone, on the user's files.

/// The options that it knows.
inline constexpr std::string_view load_options[] = {"--data",   "--labels",     "--batch",   "--seconds",
                                                    "--steps",  "--first-step", "--threads", "--depth",
                                                    "--memory", "--ranks",      "--rank",    "--seed",
                                                    "--tail",   "--order",      "--dtype",   "--scale",
                                                    "--shift",  "--flips",      "--source",  "--step-microseconds"};

/// Takes batches of the files for some seconds or steps and returns one JSON object (docs/guide/your-data.md, "How fast
/// they are read"). Throws InputError, DeviceError.
std::string load(const std::map<std::string_view, std::string_view>& options);

// pack_command.cpp: `regatta-worker pack`: data files of any kind that is read, as one raw file.

/// Several files are parts of one, their rows one behind the other. Options by name: --out NAME writes NAME.raw and
/// NAME.json; --labels FILE, --csv-label COLUMN, --csv-header yes or no, --csv-delimiter CHARACTER, --memory SIZE.
/// Returns the sidecar, one line of JSON. Throws InputError, StorageError.
std::string pack(const std::vector<std::string_view>& files,
                 const std::map<std::string_view, std::string_view>& options);

// peak_flop.cpp: Multiply-adds that nothing holds up: what a core can do at most.

/// A loop of independent fp32 fused multiply-adds in registers.
struct FmaLoop {
  std::string_view isa;  ///< "avx512" | "avx2"
  double flop_per_turn;
  float (*run)(std::int64_t turns);  ///< the result only keeps the compiler from leaving the work out
};

/// The widest loop of this processor; nothing where we know none (before AVX2, or another architecture): what it can
/// do at most is then unknown.
std::optional<FmaLoop> widest_fma_loop();

// session.cpp: Does what the agent asks, one request after the other, and decides nothing.

/// Serves requests until `stop` or the end of the link. Returns the exit code: 0, or 1 if what arrived was no frame.
int serve(Link& link);

// weights_command.cpp: `regatta-worker weights` and `check`: the files that all engines of a node start from.

/// Options by name. --parameters and --model are JSON; --weights and --batches are files to write (either may be
/// missing); --datasets is the folder of the data sets. Throws InputError, of it data::DoesNotFit, and StorageError.
void write_inputs(const std::map<std::string_view, std::string_view>& options);

/// `regatta-worker check`: what --data-set would hold, as one JSON object with "samples" and "test", the rows of both
/// parts; or with "does_not_fit", why this model reads no such data; or with "refused", why no model does.
std::string check_data_set(const std::map<std::string_view, std::string_view>& options);

}  // namespace regatta::worker
