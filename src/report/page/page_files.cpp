#include <fmt/format.h>

#include "regatta/report/text.hpp"
#include "report/export/export.hpp"
#include "report/html_text.hpp"
#include "report/page/page.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_bytes = 60'000;
constexpr std::size_t most_csv_rows = 1000;
constexpr std::size_t most_csv_bytes = 150'000;
constexpr std::size_t most_json_trials = 100;
constexpr std::size_t most_json_bytes = 250'000;

std::string text_block(const std::string& text) {
  return "<pre tabindex=\"0\">" + escape(text, Lines::kept) + "</pre>\n";
}

std::string sweep_file(const results::Provenance& from) {
  if (from.sweep_json.empty()) return {};
  const bool cut = from.sweep_json.size() > most_bytes;
  const std::string name = from.sweep_file.empty() ? "sweep.json" : from.sweep_file;
  return details("The sweep file: " + name, text_block(from.sweep_json.substr(0, most_bytes)) +
                                                (cut ? note("Cut here; the result file holds all of it.") : ""));
}

std::string environment(const results::Results& results) {
  std::string text;
  for (const auto& host : results.hosts)
    text += fmt::format("host {}: {}, {} sockets, {} cores, {} bytes, Linux {}, governor {}\n", host.name,
                        host.cpu_model, host.sockets, host.cores, host.memory_bytes, host.kernel,
                        host.governor.empty() ? "unknown" : host.governor);
  for (const auto& device : results.devices)
    text += fmt::format("slot {}: {}, flags: {}\n", device.name, device.kind,
                        device.flags.any() ? stats::text_of(device.flags) : "none");
  for (const auto& env : results.envs) text += fmt::format("engine {}: {} {}\n", env.name, env.engine, env.version);
  for (const auto& [name, version] : results.provenance.versions) text += fmt::format("{} {}\n", name, version);
  const bool cut = text.size() > most_bytes;
  if (text.empty()) return {};
  return details("The environment",
                 text_block(text.substr(0, most_bytes)) +
                     (cut ? note("Cut here; /hosts and /devices of the result file hold all.") : ""));
}

std::string csv(const View& view) {
  const std::size_t all = view.results.trials.size();
  if (all == 0) return {};
  const std::string rows = trials_csv(view, most_csv_rows);
  const bool is_whole = all <= most_csv_rows && rows.size() <= most_csv_bytes;
  std::string content = text_block(rows.substr(0, most_csv_bytes));
  if (!is_whole) content += note(fmt::format("Cut here; the result file holds all {} trials.", all));
  return details("All trials as CSV", content);
}

std::string json_document(const View& view) {
  if (view.results.trials.empty()) return {};
  if (view.results.trials.size() <= most_json_trials) {
    const std::string document = json(view);
    if (document.size() <= most_json_bytes) return details("Everything as JSON", text_block(document));
  }
  return "<p class=\"note\">The JSON document is too long for this page: <code>regatta report FILE.h5 --json</code> "
         "prints it.</p>\n";
}

}  // namespace

std::string files(const View& view) {
  return sweep_file(view.results.provenance) + environment(view.results) + csv(view) + json_document(view);
}

}  // namespace regatta::report
