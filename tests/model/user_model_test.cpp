#include "regatta/model/user_model.hpp"

#include <gmock/gmock.h>

#include "json/input_error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::model {
namespace {

using ::testing::ElementsAre;

const std::string digest(64, 'a');

UserModel user_of(const std::string& json) { return std::get<UserModel>(parse_model(json)); }

/// The problem with this model, after the place "model:1: ".
std::string error_of(const std::string& json) {
  constexpr std::string_view place = "model:1: ";
  const std::string error = input_error([&] { (void)parse_model(json); });
  return error.starts_with(place) ? error.substr(place.size()) : "without its place: " + error;
}

TEST(UserModel, IsReadFromItsFunctions) {
  const UserModel user = user_of(
      R"({"python": "models/my_model.py:build", "batch": "data.py:make_batch", "args": {"width": 64, "deep": true}})");
  EXPECT_EQ(user.name, "my_model");
  EXPECT_EQ(user.python, "models/my_model.py:build");
  EXPECT_EQ(user.batch, "data.py:make_batch");
  EXPECT_EQ(user.arguments, R"({"deep":true,"width":64})");
  EXPECT_FALSE(is_loop(user));
  EXPECT_THAT(files_of(user), ElementsAre("data.py", "models/my_model.py"));
}

TEST(UserModel, ALoopIsAFileWithoutFunctions) {
  const UserModel user = user_of(R"({"python": "my_loop.py", "name": "wide"})");
  EXPECT_EQ(user.name, "wide");
  EXPECT_TRUE(is_loop(user));
  EXPECT_EQ(user.arguments, "{}");
  EXPECT_THAT(files_of(user), ElementsAre("my_loop.py"));
}

TEST(UserModel, OneFileIsNamedOnce) {
  EXPECT_THAT(files_of(user_of(R"({"python": "m.py:build", "batch": "m.py:make_batch"})")), ElementsAre("m.py"));
}

TEST(UserModel, IsReadBackUnchanged) {
  UserModel user{"m", "m.py:build", "d.py:make", R"({"a":{"z":1,"y":2.0},"b":[null,"t"]})", {}, {}};
  EXPECT_EQ(parse_model(to_json(user)), Model(user));
  user.sources = {{"d.py", digest}, {"m.py", digest}};
  user.folder = "/somewhere/else";
  EXPECT_EQ(parse_model(to_json(user)), Model(user));
  UserModel loop{"l", "l.py", "", "{}", {{"l.py", digest}}, "/x"};
  EXPECT_EQ(parse_model(to_json(loop)), Model(loop));
  loop.reads_batch = false;
  EXPECT_EQ(parse_model(to_json(loop)), Model(loop));
}

TEST(UserModel, ArgumentsHaveNoOrderButWhatTheyHoldKeepsIts) {
  const auto arguments = [](const std::string& args) {
    return user_of(R"({"python": "m.py:f", "batch": "m.py:g", "args": )" + args + "}").arguments;
  };
  EXPECT_EQ(arguments(R"({"b": 1, "a": 2})"), arguments(R"({"a": 2, "b": 1})"));
  EXPECT_NE(arguments(R"({"a": {"x": 1, "y": 2}})"), arguments(R"({"a": {"y": 2, "x": 1}})"));
  EXPECT_NE(arguments(R"({"a": 1})"), arguments(R"({"a": 1.0})"));
}

// The identity of a trial holds this text, in results that stand already.
TEST(UserModel, ArgumentsAreWrittenAsEver) {
  const auto arguments = [](const std::string& value) {
    return user_of(R"({"python": "m.py", "args": {"a": )" + value + "}}").arguments;
  };
  EXPECT_EQ(arguments("[9223372036854775807, 9223372036854775808, 18446744073709551615, 18446744073709551616]"),
            R"({"a":[9223372036854775807,9223372036854775808,18446744073709551615,1.8446744073709552e+19]})");
  EXPECT_EQ(arguments("[-9223372036854775808, -9223372036854775809]"),
            R"({"a":[-9223372036854775808,-9.223372036854776e+18]})");
  EXPECT_EQ(arguments("[1e5, 1e15, 1e16, 1.50, 1E-7, -0, -0.0, 5e-324]"),
            R"({"a":[100000.0,1e+15,1e+16,1.5,1e-07,0,-0.0,5e-324]})");
  EXPECT_EQ(arguments("{\"z\": \"\u00e9\\u00e9\\n\\u007f\\u0001\\\"\\\\\\/\", \"y\": [null, true, {}, []]}"),
            "{\"a\":{\"z\":\"\u00e9\u00e9\\n\x7f\\u0001\\\"\\\\/\",\"y\":[null,true,{},[]]}}");
}

TEST(UserModel, ErrorsNameThePlace) {
  const std::string python =
      R"(expected "FILE.py:FUNCTION" such as "my_model.py:build", or "FILE.py", the file of a loop of its own)";
  const std::string batch = R"(expected "FILE.py:FUNCTION" such as "my_model.py:make_batch")";
  EXPECT_EQ(error_of(R"({"python": "my_model:build"})"), R"(/python: found "my_model:build", )" + python);
  EXPECT_EQ(error_of(R"j({"python": "m.py:build()"})j"), R"j(/python: found "m.py:build()", )j" + python);
  EXPECT_EQ(error_of(R"({"python": ".py"})"), R"(/python: found ".py", )" + python);
  EXPECT_EQ(error_of(R"({"python": "m.py:build"})"), "/batch: found nothing, " + batch);
  EXPECT_EQ(error_of(R"({"python": "m.py:build", "batch": "m.py"})"), R"(/batch: found "m.py", )" + batch);
  EXPECT_EQ(error_of(R"({"python": "l.py", "batch": "l.py:b"})"),
            R"(/batch: found "l.py:b", expected no such key (a loop of its own makes its batches; a function is named )"
            "FILE.py:FUNCTION)");
  EXPECT_EQ(error_of(R"({"python": "l.py", "args": [1]})"),
            R"(/args: found a list, expected an object of arguments such as {"width": 64})");
  EXPECT_EQ(
      error_of(R"({"python": "l.py", "args": {"a-b": 1}})"),
      "/args/a-b: found a key that is no argument's name, expected letters, digits and '_', beginning with no digit");
  EXPECT_EQ(
      error_of(R"({"python": "l.py", "arg": {}})"),
      R"(/arg: found the unknown key "arg", expected "name", "python", "args", "batch", "reads_batch", "sources" or "folder"; )"
      R"(did you mean "args"?)");
  EXPECT_EQ(error_of(R"({"python": "l.py", "sources": {"l.py": "abc"}})"),
            R"(/sources/l.py: found "abc", expected the SHA-256 of the file, 64 lower-case hexadecimal digits)");
  EXPECT_EQ(error_of(R"({"python": "l.py", "sources": {}})"),
            "/sources/l.py: found nothing, expected the SHA-256 of the file, 64 lower-case hexadecimal digits");
}

TEST(UserModel, ItsWorkIsUnknown) {
  const UserModel user = user_of(R"({"python": "l.py"})");
  EXPECT_EQ(training_work(user, 32).forward_flop, 0);
  EXPECT_EQ(inference_work(user, 32).parameters, 0);
}

}  // namespace
}  // namespace regatta::model
