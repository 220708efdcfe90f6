#include "children/installations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "os/ask_program.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Environments : public ::testing::Test {
 protected:
  Environments() {
    places_.cache = folder_ / "cache";
    places_.native_worker = "/opt/regatta/bin/regatta-worker";
    places_.python_package = "/opt/regatta/share/python";
  }

  /// An executable that notes each start in `starts` and exits with `status`.
  std::string interpreter(const std::string& name, int status) {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\necho " << name << " >> " << (folder_ / "starts").string() << "\nexit " << status
                        << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }

  std::string starts() { return read_file(folder_ / "starts"); }

  WorkerProgram found(const std::string& name, std::int64_t threads = 1) {
    EnvironmentResolver resolver(places_);
    auto result = resolver.resolve(sweep::split_engine(name), threads);
    if (const auto* missing = std::get_if<MissingEnvironment>(&result)) ADD_FAILURE() << missing->reason;
    return std::holds_alternative<WorkerProgram>(result) ? std::get<WorkerProgram>(result) : WorkerProgram{};
  }

  std::string missing(const std::string& name) {
    EnvironmentResolver resolver(places_);
    const auto result = resolver.resolve(sweep::split_engine(name), 1);
    return std::holds_alternative<WorkerProgram>(result) ? "found" : std::get<MissingEnvironment>(result).reason;
  }

  support::TemporaryFolder folder_;
  EnvironmentPlaces places_;
};

TEST_F(Environments, StartOurOwnWorkerForNative) {
  const WorkerProgram program = found("native");
  EXPECT_EQ(program.environment, "native");
  EXPECT_THAT(program.argv, ElementsAre("/opt/regatta/bin/regatta-worker"));
}

TEST_F(Environments, TakeTheFirstInterpreterThatHasTheEngine) {
  const std::string with_engine = interpreter("second", 0);
  places_.interpreters = {interpreter("first", 1), with_engine, interpreter("third", 0)};
  const WorkerProgram program = found("numpy", 4);
  EXPECT_EQ(program.environment, "numpy");
  EXPECT_THAT(program.argv, ElementsAre(with_engine, "-c", _, "regatta_worker", "--engine", "numpy"));
  EXPECT_EQ(program.code, WorkerCode::package);
  EXPECT_EQ(starts(), "first\nsecond\n");
}

TEST_F(Environments, TakeTheUsersOwnForTheEngineFirst) {
  places_.interpreters = {interpreter("python", 0)};
  const std::string own = interpreter("cache/torch/bin/python", 0);
  const WorkerProgram program = found("torch");
  EXPECT_EQ(program.environment, "torch");
  EXPECT_EQ(program.argv.front(), own);
  EXPECT_EQ(found("jax").argv.front(), places_.interpreters.front());
}

TEST_F(Environments, TellPythonItsThreadsAndPackage) {
  places_.interpreters = {interpreter("python", 0)};
  const auto variables = found("numpy", 4).variables;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    EXPECT_EQ(variables.at(name), "4") << name;
  }
  EXPECT_EQ(variables.at("PYTHONPATH"), "/opt/regatta/share/python");
  EXPECT_EQ(variables.at("PYTHONDONTWRITEBYTECODE"), "1");
  EXPECT_EQ(variables.at("PYTHONUNBUFFERED"), "1");
}

/// A current folder whose modules have the names of Python's and Regatta's, and note that they were run.
class Shadows : public Environments {
 protected:
  Shadows() : before_(std::filesystem::current_path()) {
    const auto here = folder_ / "here";
    std::filesystem::create_directories(here);
    for (const char* name : {"importlib", "json", "runpy", "token", "numpy", "regatta_worker", "zlib"})
      std::ofstream(here / (std::string(name) + ".py")) << "open('" << ran().string() << "', 'a').write(__name__)\n";
    std::filesystem::current_path(here);
  }
  ~Shadows() override { std::filesystem::current_path(before_); }

  [[nodiscard]] std::filesystem::path ran() const { return folder_ / "ran"; }

  std::filesystem::path before_;
};

TEST_F(Shadows, AreNotRunByAQuestion) {
  const auto question = python_question("/usr/bin/python3", "import json, token; print(sys.argv[1:])");
  auto with_words = question;
  with_words.emplace_back("a word");
  EXPECT_EQ(output_of(with_words, {}, 30), "['a word']\n");
  EXPECT_FALSE(std::filesystem::exists(ran()));
}

TEST_F(Shadows, AreNotRunInPlaceOfTheWorker) {
  const auto package = folder_ / "package" / "regatta_worker";
  std::filesystem::create_directories(package);
  std::ofstream(package / "__init__.py") << "";
  std::ofstream(package / "__main__.py") << "import json, sys, token, only_here\nprint(__name__, sys.argv[1:])\n";
  std::ofstream("only_here.py") << "";
  places_.python_package = package.parent_path();
  places_.from_sweep["own"] = {"own", "numpy", "/usr/bin/python3", {}, {}};
  const WorkerProgram program = found("numpy@own");
  EXPECT_EQ(output_of(program.argv, program.variables, 30), "__main__ ['--engine', 'numpy']\n");
  EXPECT_FALSE(std::filesystem::exists(ran()));
}

TEST_F(Environments, AskEachInterpreterOnlyOnce) {
  places_.interpreters = {interpreter("first", 1), interpreter("second", 0)};
  EnvironmentResolver resolver(places_);
  for (std::int64_t threads : {1, 2, 3}) resolver.resolve({"numpy", ""}, threads);
  EXPECT_EQ(starts(), "first\nsecond\n");
}

TEST_F(Environments, SayWhereAnEngineWasLookedForAndHowToGetIt) {
  places_.interpreters = {interpreter("first", 1), "/nowhere/python3"};
  EXPECT_EQ(missing("numpy"), "numpy is not installed for " + places_.interpreters[0] +
                                  " or /nowhere/python3; apt-get install python3-numpy, or name an environment");
  EXPECT_THAT(missing("jax"), HasSubstr("; run scripts/setup-engines.sh jax, or name an environment"));
}

TEST_F(Environments, AreLookedUpInTheFileThenTheSweepThenTheCache) {
  const std::string of_file = interpreter("of_file", 0);
  const std::string of_sweep = interpreter("of_sweep", 0);
  const std::string of_cache = interpreter("cache/old/bin/python", 0);
  places_.from_file["old"] = {"old", "numpy", of_file, {}, {}};
  places_.from_sweep["old"] = {"old", "numpy", of_sweep, {}, {}};
  EXPECT_EQ(found("numpy@old").argv.front(), of_file);
  EXPECT_EQ(found("numpy@old").environment, "old");
  places_.from_file.clear();
  EXPECT_EQ(found("numpy@old").argv.front(), of_sweep);
  places_.from_sweep.clear();
  EXPECT_EQ(found("numpy@old").argv.front(), of_cache);
  std::filesystem::remove(of_cache);
  EXPECT_EQ(missing("numpy@old"),
            "no environment old: neither the --environments file nor the sweep declares it, and "
            "there is no " +
                of_cache + "; declare it");
}

TEST_F(Environments, NameAPythonThatIsTooOldForTheWorker) {
  const std::string old = interpreter("old", 0);
  std::ofstream(old) << "#!/bin/sh\nprintf '3.6 1'\n";
  places_.from_sweep["old"] = {"old", "numpy", old, {}, {}};
  EXPECT_EQ(missing("numpy@old"), "the environment old is Python 3.6, and Regatta's worker needs 3.7 or newer");
  places_.from_sweep["older"] = {"older", "numpy", old, {}, {}};
  EnvironmentResolver resolver(places_);
  for (const std::string name : {"old", "older"}) {
    const auto named = resolver.resolve({"numpy", name}, 1);
    EXPECT_THAT(std::get<MissingEnvironment>(named).reason, HasSubstr("the environment " + name + " is Python 3.6"));
  }
  std::ofstream(old) << "#!/bin/sh\nprintf '3.7 0'\n";
  EXPECT_EQ(found("numpy@old").argv.front(), old);
}

TEST_F(Environments, AddTheirOwnVariables) {
  places_.from_sweep["old"] = {"old", "numpy", interpreter("python", 0), {}, {{"OMP_NUM_THREADS", "9"}, {"A", "b"}}};
  const auto variables = found("numpy@old", 2).variables;
  EXPECT_EQ(variables.at("OMP_NUM_THREADS"), "9");
  EXPECT_EQ(variables.at("MKL_NUM_THREADS"), "2");
  EXPECT_EQ(variables.at("A"), "b");
}

TEST_F(Environments, MayBeProgramsThatSpeakTheProtocol) {
  const std::string program = interpreter("my_worker", 0);
  places_.from_sweep["mine"] = {"mine", "native", "", {program, "--fast"}, {}};
  EXPECT_THAT(found("native@mine").argv, ElementsAre(program, "--fast"));
  places_.from_sweep["mine"].program.clear();
  EXPECT_THAT(missing("native@mine"), HasSubstr("names no program for the engine native"));
}

TEST_F(Environments, AreRefusedForAnotherEngineOrWithoutTheirProgram) {
  places_.from_sweep["old"] = {"old", "numpy", "/nowhere/python", {}, {}};
  EXPECT_EQ(missing("torch@old"), "the environment old is an installation of numpy, not of torch; write numpy@old");
  EXPECT_EQ(missing("numpy@old"),
            "'/nowhere/python' of the environment old cannot be executed; create it, or correct its path");
}

TEST_F(Environments, FindABareInterpreterNameInThePath) {
  places_.from_sweep["plain"] = {"plain", "numpy", "sh", {}, {}};
  EXPECT_EQ(found("numpy@plain").argv.front(), "sh");
}

TEST_F(Environments, OfTheCacheAreThoseThatHaveAnInterpreter) {
  EXPECT_TRUE(cached_environments(places_.cache).empty());
  interpreter("cache/old/bin/python", 0);
  interpreter("cache/new/bin/python", 0);
  std::filesystem::create_directories(places_.cache / "empty" / "bin");
  EXPECT_THAT(cached_environments(places_.cache), ElementsAre("new", "old"));
}

TEST_F(Environments, ThatCanBeInstalledAreToldHow) {
  EXPECT_THAT(locked_environments(), testing::Contains("tensorflow-2.1"));
  EXPECT_THAT(missing("tensorflow@tensorflow-2.1"),
              "tensorflow-2.1 is not installed; bash scripts/setup-engines.sh tensorflow-2.1 installs it");
}

TEST_F(Environments, AreReadFromAFileWithPathsRelativeToIt) {
  const auto file = folder_ / "environments.json";
  std::ofstream(file) << R"({"old": {"engine": "numpy", "python": "venv/bin/python", "env": {"A": "b"}}})";
  const auto read = parse_environments(read_file(file), file);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read.at("old").python, (folder_ / "venv/bin/python").string());
  EXPECT_EQ(read.at("old").variables.at("A"), "b");
}

TEST_F(Environments, NameTheLineOfAnErrorInTheirFile) {
  const auto file = folder_ / "environments.json";
  std::ofstream(file) << "{\n  \"old\": {\"engine\": \"numpy\",\n    \"pythn\": \"x\"}}";
  try {
    parse_environments(read_file(file), file);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("environments.json:3"));
    EXPECT_THAT(error.what(), HasSubstr("pythn"));
  }
}

TEST_F(Environments, AreCachedWhereTheUserKeepsCaches) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string saved = before == nullptr ? "" : before;
  ::setenv("XDG_CACHE_HOME", "/my/cache", 1);
  EXPECT_EQ(default_places().cache, "/my/cache/regatta/engines");
  ::setenv("XDG_CACHE_HOME", "", 1);
  EXPECT_THAT(default_places().cache.string(), ::testing::EndsWith("/.cache/regatta/engines"));
  before == nullptr ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", saved.c_str(), 1);
}

TEST(ProcessKeys, KeepApartWhatNeedsItsOwnProcess) {
  const ProcessKey key{"old", "numpy", 2};
  EXPECT_EQ(key, (ProcessKey{"old", "numpy", 2}));
  EXPECT_NE(key, (ProcessKey{"new", "numpy", 2}));
  EXPECT_NE(key, (ProcessKey{"old", "torch", 2}));
  EXPECT_NE(key, (ProcessKey{"old", "numpy", 1}));
  EXPECT_NE(key, (ProcessKey{"old", "numpy", 2, 1}));
  EXPECT_NE(key, (ProcessKey{"old", "numpy", 2, 0, "eager off"}));
}

TEST(ProcessKeys, ModesShareAProcessUnlessOneIsASettingOfTheProcess) {
  const auto settings = [](const char* mode, const char* device = "cpu") {
    sweep::Parameters parameters;
    parameters[sweep::Param::mode] = std::string(mode);
    parameters[sweep::Param::device] = std::string(device);
    return settings_at_import(parameters);
  };
  EXPECT_EQ(settings("graph"), settings("eager"));
  EXPECT_EQ(settings("graph"), settings("xla"));
  EXPECT_NE(settings("graph"), settings("v1-session"));
  EXPECT_NE(settings("graph"), settings("graph", "cuda"));
  EXPECT_EQ(settings("graph", "cuda"), settings("eager", "cuda"));
  EXPECT_NE(settings("v1-session", "cuda"), settings("v1-session"));
  EXPECT_EQ(settings_at_import(sweep::Parameters{}), "");
}

class Pythons : public Environments {
 protected:
  std::string python_of(const std::string& word) {
    EnvironmentResolver resolver(places_);
    auto found = resolver.python_of(word);
    if (const auto* missing = std::get_if<MissingEnvironment>(&found)) return missing->reason;
    return std::get<std::string>(found);
  }
};

TEST_F(Pythons, AreAskedForByTheNameOfAnEnvironmentOrOfAnEngine) {
  const std::string cached = interpreter("cache/torch/bin/python", 0);
  const std::string system = interpreter("system", 0);
  places_.interpreters = {system};
  places_.from_sweep["mine"] = {"mine", "torch", "/opt/mine/bin/python", {}, {}};
  EXPECT_EQ(python_of("python@mine"), "/opt/mine/bin/python");
  EXPECT_EQ(python_of("python@torch"), cached);
  EXPECT_EQ(python_of("python@numpy"), system) << "no environment of its own: whatever has it";
  EXPECT_THAT(python_of("python@nobody"), HasSubstr("python@nobody: no environment nobody with a \"python\""));
}

TEST_F(Pythons, RunTheProgramsOfEnvironments) {
  const std::string cached = interpreter("cache/torch/bin/python", 0);
  places_.from_sweep["loop"] = {"loop", "torch", "", {"python@torch", "loop.py"}, {}};
  EXPECT_THAT(found("torch@loop").argv, ElementsAre(cached, "loop.py"));
  places_.from_sweep["loop"].program.front() = "python@nobody";
  EXPECT_THAT(missing("torch@loop"), HasSubstr("python@nobody"));
}

/// "python3" names no place: a loop of torch is to find torch where `doctor` finds it.
TEST_F(Pythons, ThatCannotImportTheEngineOfAProgramGiveWayToTheOneThatCan) {
  const std::string cached = interpreter("cache/torch/bin/python", 0);
  const std::string in_path = interpreter("path/python3", 1);
  const std::string old_path = std::getenv("PATH");
  ::setenv("PATH", ((folder_ / "path").string() + ":" + old_path).c_str(), 1);
  places_.from_sweep["loop"] = {"loop", "torch", "", {"python3", "loop.py"}, {}};
  EXPECT_THAT(found("torch@loop").argv, ElementsAre(cached, "loop.py"));
  places_.from_sweep["loop"].program.front() = in_path;
  EXPECT_THAT(found("torch@loop").argv, ElementsAre(in_path, "loop.py")) << "a place that is named is taken";
  interpreter("path/python3", 0);
  places_.from_sweep["loop"].program.front() = "python3";
  EXPECT_THAT(found("torch@loop").argv, ElementsAre("python3", "loop.py")) << "it has torch itself";
  ::setenv("PATH", old_path.c_str(), 1);
}

}  // namespace
}  // namespace regatta::launcher
