#include "regatta/analysis/labels.hpp"
#include "regatta/report/sessions.hpp"
#include "report/export/json_values.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

Json session_object(const results::Results& results) {
  return Json{{"name", results.name},
              {"session", analysis::session_id(results)},
              {"created", results.provenance.created},
              {"regatta_version", results.provenance.regatta_version},
              {"command_line", results.provenance.command_line}};
}

Json cell_object(const analysis::SessionCell& cell, const results::Results& results, const analysis::Axes& axes) {
  const auto& trial = results.trials[cell.in_new.value];
  Json object = {{"id", to_string(trial.hash)},
                 {"label", trial_label(trial.parameters, axes)},
                 {"parameters", axis_values(trial.parameters)},
                 {"old_value", cell.old_value},
                 {"new_value", cell.new_value},
                 {"ratio", cell.ratio},
                 {"low", optional_number(cell.low)},
                 {"high", optional_number(cell.high)},
                 {"verdict", verdict_text(cell)},
                 {"judged", cell.judged},
                 {"same_code", cell.same_code},
                 {"old_version", cell.old_version},
                 {"new_version", cell.new_version},
                 {"verified", sweep::to_string(cell.verified)}};
  object.update({{"margin", cell.margin},
                 {"session_floor", cell.session_floor},
                 {"session_floor_from", floor_source_name(cell.floor_source)},
                 {"indifference", cell.indifference()},
                 {"p_value", cell.p_value},
                 {"old_units", cell.old_units},
                 {"new_units", cell.new_units},
                 {"old_processes", cell.old_processes},
                 {"new_processes", cell.new_processes},
                 {"flags", stats::names_of(cell.flags)},
                 {"text", session_sentence(results, axes, cell)}});
  return object;
}

Json ids(const std::vector<TrialIndex>& trials, const results::Results& results, const analysis::Axes& axes) {
  Json list = Json::array();
  for (const TrialIndex index : trials) {
    const auto& trial = results.trials[index.value];
    list.push_back({{"id", to_string(trial.hash)}, {"label", trial_label(trial.parameters, axes)}});
  }
  return list;
}

}  // namespace

std::string json_sessions(const results::Results& old_session, const results::Results& new_session,
                          const analysis::Sessions& sessions) {
  const auto axes = analysis::axes_of(new_session);
  Json document = {{"old", session_object(old_session)},
                   {"new", session_object(new_session)},
                   {"metric", metric_object(sweep::info(sessions.metric))},
                   {"headline", session_headline(new_session, sessions)},
                   {"regressed", sessions.regressed()},
                   {"across", sessions.across},
                   {"all_same_version", sessions.all_same_version},
                   {"pair_floor", optional_number(sessions.pair_floor)},
                   {"same_code",
                    {{"same", sessions.identical.same},
                     {"undecided", sessions.identical.undecided},
                     {"false", sessions.identical.wrong}}}};
  for (const char* key : {"cells", "not_compared"}) document[key] = Json::array();
  for (const auto& cell : sessions.cells) document["cells"].push_back(cell_object(cell, new_session, axes));
  for (const auto& each : sessions.not_compared) {
    const auto& trial = new_session.trials[each.in_new.value];
    document["not_compared"].push_back({{"id", to_string(trial.hash)},
                                        {"label", trial_label(trial.parameters, axes)},
                                        {"reason", not_compared_text(old_session, new_session, sessions, each)}});
  }
  document["only_old"] = ids(sessions.only_old, old_session, analysis::axes_of(old_session));
  document["only_new"] = ids(sessions.only_new, new_session, axes);
  document["notes"] = session_notes(old_session, new_session, sessions);
  return dumped(document, 1) + "\n";
}

}  // namespace regatta::report
