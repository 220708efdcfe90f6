#include "regatta/model/checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::model {
namespace {

using testing::HasSubstr;

class Checkpoints : public testing::Test {
 protected:
  support::TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "run.safetensors";

  void write_native(const std::string& run) const {
    std::vector<Tensor> all = {state_tensor("7 0\n" + run + "\n{}"), {"best/0.bias", {2}, std::vector<float>{1, 2}}};
    seal(all);
    write_safetensors(file, all);
  }

  /// As regatta_worker/checkpoint.py writes a bias [1, 2] and a step counter of no axes, byte by byte.
  void write_python(const std::string& checksum, const std::string& name = "run.safetensors") const {
    std::string header = R"({"__metadata__": {"state": "{\"file\": \")" + name + R"(\"}", "checksum": ")" + checksum +
                         R"("}, "best/b": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}, )" +
                         R"("optimizer/n": {"dtype": "I64", "shape": [], "data_offsets": [8, 16]}})";
    header.append((8 - header.size() % 8) % 8, ' ');
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size() & 255U);
    bytes[1] = static_cast<char>(header.size() >> 8U);
    bytes += header + std::string("\0\0\x80\x3f\0\0\0\x40\x03\0\0\0\0\0\0\0", 16);
    write_file_atomically(file, bytes);
  }

  [[nodiscard]] std::string refused() const {
    try {
      expect_checkpoint(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  void flip(std::size_t from_end) const {
    std::string bytes = read_file(file);
    bytes[bytes.size() - from_end] = static_cast<char>(bytes[bytes.size() - from_end] ^ 0x40);
    std::ofstream(file, std::ios::binary) << bytes;
  }
};

TEST_F(Checkpoints, OfTheNativeEngineAreTakenWholeAlone) {
  write_native("run.safetensors");
  EXPECT_EQ(refused(), "");
  flip(6);
  EXPECT_THAT(refused(), HasSubstr("checksum does not match"));
}

TEST_F(Checkpoints, OfPythonEnginesAreTakenWholeAlone) {
  write_python("95dfa0d1");
  EXPECT_EQ(refused(), "");
  flip(1);
  EXPECT_THAT(refused(), HasSubstr("checksum does not match"));
}

TEST_F(Checkpoints, OfAnotherRunAreRefused) {
  write_native("other.safetensors");
  EXPECT_THAT(refused(), HasSubstr("run.safetensors' cannot be used: it is the checkpoint of another run, other"));
  write_python("e6f4b140", "other.safetensors");
  EXPECT_THAT(refused(), HasSubstr("it is the checkpoint of another run, other.safetensors"));
}

TEST_F(Checkpoints, ThatAreNoneAreRefused) {
  write_safetensors(file, {{"best/0.bias", {1}, std::vector<float>{1}}});
  EXPECT_THAT(refused(), HasSubstr("checksum"));
  std::ofstream(file) << "nothing of the kind";
  EXPECT_THAT(refused(), HasSubstr("cannot be used"));
}

}  // namespace
}  // namespace regatta::model
