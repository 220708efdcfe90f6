#include "regatta/model/python_imports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temporary_folder.hpp"

namespace regatta::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LocalImports : public testing::Test {
 protected:
  LocalImports() { std::filesystem::create_directories(folder_ / "parts" / "deep"); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::vector<std::string> of(const std::string& script) const {
    std::vector<std::string> names;
    for (const auto& file : local_imports(folder_ / script))
      names.push_back(file.lexically_relative(folder_.path()).string());
    return names;
  }

 private:
  support::TemporaryFolder folder_;
};

TEST_F(LocalImports, AreFilesBesideTheScriptAndWhatTheyImport) {
  write("fit.py", "import sys, helper as h\nif h:\n    from late import x  # not only at the top\n");
  write("helper.py", "import third\nimport fit\n");
  for (const char* name : {"third.py", "late.py", "not_used.py"}) write(name, "");
  EXPECT_THAT(of("fit.py"), ElementsAre("helper.py", "late.py", "third.py"));
}

TEST_F(LocalImports, GoIntoPackagesAndOverLinesInBrackets) {
  write("fit.py", "from parts import (\n    one,  # a comment)\n    two,\n)\nimport parts.deep.three\n");
  write("parts/__init__.py", "from .four import f\n");
  write("parts/deep/__init__.py", "from .. import five\n");
  for (const char* name : {"one", "two", "deep/three", "four", "five", "six"})
    write("parts/" + std::string(name) + ".py", "");
  EXPECT_THAT(of("fit.py"), ElementsAre("parts/__init__.py", "parts/deep/__init__.py", "parts/deep/three.py",
                                        "parts/five.py", "parts/four.py", "parts/one.py", "parts/two.py"));
}

TEST_F(LocalImports, AreNoneOfRegattaNorOfWhatIsNotThere) {
  write("regatta.py", "");
  write("fit.py", "import regatta, numpy\nimportant = 1\n");
  EXPECT_THAT(of("fit.py"), IsEmpty());
  EXPECT_THAT(of("absent.py"), IsEmpty());
}

}  // namespace
}  // namespace regatta::model
