// Programs that a sweep brings along: installations of engines, and commands.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "regatta/json/text.hpp"
#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

/// A path with a slash is relative to the sweep's folder; a bare name is looked up in PATH when it is started.
std::string resolve(const std::string& program, const std::filesystem::path& sweep_file) {
  const std::filesystem::path path(program);
  if (program.find('/') == std::string::npos || path.is_absolute()) return program;
  return (std::filesystem::absolute(sweep_file).parent_path() / path).lexically_normal().string();
}

std::vector<std::string> read_argv(const json::Cursor& cursor) {
  return cursor.texts("an argument array such as [\"python3\", \"step.py\"]");
}

std::map<std::string, std::string> read_variables(const json::Cursor& cursor) {
  std::map<std::string, std::string> variables;
  for (const auto& member : cursor.members("an object of environment variables")) {
    if (member.key.empty() || member.key.find('=') != std::string::npos) {
      json::refuse(member.value.place,
                   {fmt::format("the key {}", json::show(member.key)), "the name of an environment variable", ""});
    }
    const auto* text = member.value.node.as<std::string>();
    if (text == nullptr) member.value.refuse("a text");
    variables[member.key] = *text;
  }
  return variables;
}

Launch read_launch(const json::Cursor& cursor, const std::vector<std::string>& names) {
  return static_cast<Launch>(std::ranges::find(launch_names, cursor.choice(names)) - launch_names.begin());
}

Environment read_environment(const json::Cursor::Member& member, const std::filesystem::path& file) {
  need_name(member);
  const json::Fields fields(member.value, "an object", {"engine", "python", "program", "env", "launch"});
  std::vector<std::string> engines;
  for (const EngineInfo& engine : engine_table()) {
    if (engine.worker != WorkerKind::program) engines.emplace_back(engine.name);
  }
  Environment environment;
  environment.name = member.key;
  environment.engine = fields.need("engine", json::one_of(engines)).choice(engines);
  const auto python = fields.find("python");
  const auto program = fields.find("program");
  if (python && program) program->refuse("only one of \"python\" and \"program\"");
  if (!python && !program) member.value.refuse("one of the keys \"python\" and \"program\" in it");
  if (python) environment.python = resolve(python->text("the path of a Python interpreter"), file);
  if (program) {
    environment.program = read_argv(*program);
    environment.program[0] = resolve(environment.program[0], file);
  }
  if (const auto variables = fields.find("env")) environment.variables = read_variables(*variables);
  if (const auto launch = fields.find("launch")) {
    if (!program) launch->refuse("a \"program\" beside it, a loop whose ranks it starts");
    environment.launch = read_launch(*launch, {"env", "torchrun"});
  }
  return environment;
}

std::map<std::string, std::filesystem::path> read_inputs(const json::Cursor& cursor, const Sweep& sweep) {
  std::map<std::string, std::filesystem::path> inputs;
  for (const json::Cursor& element : cursor.list("a list of files such as [\"data.csv\"]")) {
    const std::string name = element.text("the path of a file");
    if (!inputs.emplace(name, named_file(element, name, sweep)).second) element.refuse("each file once");
  }
  return inputs;
}

/// Axes that the program takes from its environment.
void read_reads(const json::Cursor& cursor, Command& command) {
  for (const json::Cursor& item : cursor.list("a list of axes such as [\"n\"]")) {
    const std::string name = item.text("the name of an axis");
    if (!is_own_name(name)) item.refuse("the name of an axis: letters, digits, '_', '.' and '-', a letter first");
    command.reads.insert(name);
  }
}

KeptOutput read_output(const json::Cursor& cursor) {
  const std::string& kept = cursor.choice({"tail", "kept", "none"});
  if (kept == "none") return KeptOutput::none;
  return kept == "kept" ? KeptOutput::kept : KeptOutput::tail;
}

Command read_command(const json::Cursor::Member& member, Sweep& sweep) {
  need_name(member);
  const json::Fields fields(member.value, "an object",
                            {"argv", "metric", "inputs", "reads", "results", "folder", "output", "launch"});
  Command command;
  command.name = member.key;
  command.argv = read_argv(fields.need("argv", "an argument array such as [\"python3\", \"step.py\"]"));
  command.program_as_written = command.argv[0];
  command.argv[0] = resolve(command.argv[0], sweep.file);
  for (const std::string& word : command.argv) {
    for (std::string& name : placeholders_of(word)) command.reads.insert(std::move(name));
  }
  if (const auto names = fields.find("reads")) read_reads(*names, command);
  if (const auto output = fields.find("output")) command.output = read_output(*output);
  if (const auto launch = fields.find("launch"))
    command.launch = read_launch(*launch, {launch_names.begin(), launch_names.end()});
  if (const auto inputs = fields.find("inputs")) sweep.inputs[member.key] = read_inputs(*inputs, sweep);
  if (const auto folder = fields.find("folder"))
    command.folder = folder->choice({"kept", "removed"}) == "kept" ? WorkFolder::kept : WorkFolder::removed;
  if (const auto results = fields.find("results")) read_results(*results, command);
  if (const auto metric = fields.find("metric")) {
    const auto* text = metric->node.as<std::string>();
    constexpr std::string_view prefix = "json:";
    if (text == nullptr || !text->starts_with(prefix) || text->size() == prefix.size()) {
      metric->refuse("\"json:KEY\", the key of a JSON object that the program prints");
    }
    command.metric_key = text->substr(prefix.size());
  }
  return command;
}

}  // namespace

void read_environments(const json::Cursor& cursor, Sweep& sweep) {
  for (const auto& member : cursor.members("an object of environments")) {
    sweep.environments[member.key] = read_environment(member, sweep.file);
  }
}

void read_commands(const json::Cursor& cursor, Sweep& sweep) {
  for (const auto& member : cursor.members("an object of commands"))
    sweep.commands[member.key] = read_command(member, sweep);
}

}  // namespace regatta::sweep
