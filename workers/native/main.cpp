// regatta-worker: the engine `native` as a process that the agent may kill at any time.
#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "devices/devices.hpp"
#include "link.hpp"
#include "loader_options.hpp"
#include "native.hpp"
#include "options.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/base/version.hpp"
#include "regatta/data/batches.hpp"

namespace regatta::worker {
namespace {

constexpr int protocol_fd = 3;
constexpr std::string_view usage =
    "usage: regatta-worker [--fd N]            serve the protocol on descriptor N (default 3)\n"
    "       regatta-worker weights --parameters JSON --model JSON [--datasets FOLDER] [--dataset JSON]\n"
    "           [--weights FILE] [--batches FILE]\n"
    "       regatta-worker check --parameters JSON --model JSON [--datasets FOLDER] [--dataset JSON]\n"
    "           whether these data can be trained on, and how many samples they have, as JSON\n"
    "       regatta-worker calibrate [--threads N]  what the cores that it may use can do at most, as JSON\n"
    "       regatta-worker calibrate --device cuda [--index N]  the same of a device\n"
    "       regatta-worker devices [--kind cuda --check INDEX]  what it can compute on beside the cores, as JSON;\n"
    "           or whether device INDEX is well: how fast it copies and multiplies, and its state\n"
    "       regatta-worker devices --state UUID  memory, errors and clocks of a device as NVML tells them, as JSON\n"
    "       regatta-worker pack FILE... --out NAME [--labels FILE] [--csv-label COLUMN] [--csv-header yes|no]\n"
    "           [--csv-delimiter CHARACTER] [--csv-decimal CHARACTER] [--csv-missing TEXT,...] [--csv-columns "
    "NAME,...]\n"
    "           [--csv-drop NAME,...] [--csv-categories NAME,...] [--memory SIZE]  data files as one raw file, "
    "NAME.raw\n"
    "           and NAME.json\n"
    "       regatta-worker load --data FILE [--labels FILE] [--batch N] [--threads N] [--seconds S] [OPTION VALUE]...\n"
    "           how fast the loader gives batches of these files, as JSON; docs/guide/your-data.md has all options\n"
    "       regatta-worker feed --data FILE | --batches FILE | --training FILE --fd N [OPTION VALUE]...\n"
    "           the loader's batches for another process, in memory that both share; "
    "docs/reference/worker-protocol.md, "
    "\"Feed\"\n"
    "       regatta-worker --version | --help\n";

Options parse_options(const std::vector<std::string_view>& words, const std::vector<std::string_view>& known) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const bool is_known = std::find(known.begin(), known.end(), words[i]) != known.end();
    if (!is_known) throw InputError("unknown option '" + std::string(words[i]) + "'; see regatta-worker --help");
    if (i + 1 == words.size()) throw InputError("option " + std::string(words[i]) + " needs a value");
    if (!options.emplace(words[i], words[i + 1]).second)
      throw InputError("option " + std::string(words[i]) + " is given twice; name it once");
  }
  return options;
}

constexpr std::string_view check_options[] = {"--parameters", "--model", "--datasets", "--dataset"};

int number_of(const Options& options, std::string_view name, int fallback, int least, const std::string& what) {
  const auto text = option(options, name);
  if (!text) return fallback;
  const auto number = number_in<int>(*text);
  if (!number || *number < least) throw InputError(std::string(name) + " needs " + what);
  return *number;
}

std::string devices(const Options& options) {
  const auto kind = option(options, "--kind").value_or("cuda");
  if (const auto uuid = option(options, "--state")) return state_of_device(std::string(*uuid));
  if (!option(options, "--check")) return list_devices(executable_folder());
  const int index = number_of(options, "--check", 0, 0, "the index of a device");
  return check_one_device(executable_folder(), std::string(kind), index);
}

int serve_on(const Options& options) {
  const int fd = number_of(options, "--fd", protocol_fd, 0, "the number of an open descriptor");
  if (::fcntl(fd, F_GETFD) < 0) {
    throw InputError("no descriptor " + std::to_string(fd) +
                     " is open (the protocol's link); `regatta run` starts this program, see regatta-worker --help");
  }
  std::signal(SIGPIPE, SIG_IGN);  // an agent that is gone is seen as a failed write
  Link link{UniqueFd(fd)};
  return serve(link);
}

std::string calibrated(const Options& options) {
  const int threads = number_of(options, "--threads", 1, 1, "a number of threads");
  const int index = number_of(options, "--index", 0, 0, "the place of a device among those that are seen");
  const auto device = option(options, "--device");
  return device ? calibrate_device(device_at(std::string(*device), index)) : calibrate(threads);
}

int dispatch(const std::vector<std::string_view>& words) {
  const std::string_view first = words.empty() ? std::string_view() : words.front();
  if (first == "--version") {
    std::cout << "regatta-worker " << regatta_version() << "\n";
  } else if (first == "--help") {
    std::cout << usage;
  } else if (first == "weights") {
    end_where_a_file_was_cut();
    write_inputs(parse_options({words.begin() + 1, words.end()}, {"--parameters", "--model", "--datasets", "--dataset",
                                                                  "--weights", "--batches", "--data-set"}));
  } else if (first == "check") {
    end_where_a_file_was_cut();
    std::cout << check_data_set(
        parse_options({words.begin() + 1, words.end()}, {std::begin(check_options), std::end(check_options)}));
  } else if (first == "calibrate") {
    const Options options = parse_options({words.begin() + 1, words.end()}, {"--threads", "--device", "--index"});
    std::cout << calibrated(options);
  } else if (first == "devices") {
    std::cout << devices(parse_options({words.begin() + 1, words.end()}, {"--check", "--kind", "--state"}));
  } else if (first == "load") {
    end_where_a_file_was_cut();
    std::vector<std::string_view> known(std::begin(load_options), std::end(load_options));
    known.insert(known.end(), std::begin(table_options), std::end(table_options));
    std::cout << load(parse_options({words.begin() + 1, words.end()}, known));
  } else if (first == "feed") {
    end_where_a_file_was_cut();
    const std::vector<std::string_view> rest(words.begin() + 1, words.end());
    feed(parse_options(rest, feed_options(rest)));
  } else if (first == "pack") {
    end_where_a_file_was_cut();
    const auto files_end =
        std::find_if(words.begin() + 1, words.end(), [](auto word) { return word.starts_with("--"); });
    std::vector<std::string_view> known = {"--out", "--labels", "--memory"};
    known.insert(known.end(), std::begin(table_options), std::end(table_options));
    const Options options = parse_options({files_end, words.end()}, known);
    std::cout << pack({words.begin() + 1, files_end}, options);
  } else {
    return serve_on(parse_options(words, {"--fd"}));
  }
  return 0;
}

}  // namespace
}  // namespace regatta::worker

int main(int argc, char** argv) {
  try {
    return regatta::with_output([&] { return regatta::worker::dispatch({argv + 1, argv + argc}); });
  } catch (const regatta::data::DoesNotFit& error) {
    regatta::log::error(error.what());
    return regatta::exit_code::does_not_fit;
  } catch (const regatta::InputError& error) {
    regatta::log::error(error.what());
    return regatta::exit_code::bad_input;
  } catch (const regatta::PeerLost& error) {
    regatta::log::error(error.what());
    return regatta::exit_code::bad_input;
  } catch (const regatta::StorageError& error) {
    regatta::log::error(error.what());
    return regatta::exit_code::storage;
  } catch (const std::exception& error) {
    regatta::log::error(error.what());
    return 1;
  }
}
