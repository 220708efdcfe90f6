#include "regatta/model/tensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/random.hpp"
#include "regatta/model/shapes.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::model {
namespace {

namespace fs = std::filesystem;

class SafetensorsFile : public testing::Test {
 protected:
  [[nodiscard]] fs::path path() const { return folder_ / "t.safetensors"; }

  void put(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }

  /// The part of the error between the path and the advice.
  [[nodiscard]] std::string damage() const {
    try {
      read_safetensors(path());
    } catch (const InputError& error) {
      const std::string text = error.what();
      const std::string before = "'" + path().string() + "' is damaged: ";
      const std::string after = "; write it again";
      EXPECT_TRUE(text.starts_with(before) && text.ends_with(after)) << text;
      return text.substr(before.size(), text.size() - before.size() - after.size());
    }
    return "no error";
  }

 private:
  support::TemporaryFolder folder_;
};

std::string length_prefix(std::uint64_t length) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

std::string file_with(const std::string& header, std::size_t data_bytes) {
  return length_prefix(header.size()) + header + std::string(data_bytes, '\0');
}

std::vector<Tensor> two_tensors() {
  return {{"x", {2, 1}, std::vector<float>{1.0F, -2.5F}}, {"y", {3}, std::vector<std::int32_t>{7, -1, 0}}};
}

TEST_F(SafetensorsFile, IsCopiedInPartWithoutThePrefixOfItsNames) {
  write_safetensors(path(), {{"weights/a", {1}, std::vector<float>{9}},
                             {"best/0.kernel", {2, 1}, std::vector<float>{1, -2.5F}},
                             {"best/1.steps", {1}, std::vector<std::int32_t>{7}}});
  const fs::path copy = path().string() + ".best";
  EXPECT_EQ(copy_tensors(path(), "best/", copy, {{"seed", "3"}}), 2U);
  const std::vector<Tensor> tensors = read_safetensors(copy);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensor_named(tensors, "0.kernel").shape, (Shape{2, 1}));
  EXPECT_EQ(std::get<std::vector<float>>(tensor_named(tensors, "0.kernel").values), (std::vector<float>{1, -2.5F}));
  EXPECT_EQ(std::get<std::vector<std::int32_t>>(tensor_named(tensors, "1.steps").values), std::vector<std::int32_t>{7});
  EXPECT_NE(read_file(copy).find(R"("__metadata__":{"seed":"3"})"), std::string::npos);
  EXPECT_EQ(copy_tensors(path(), "worst/", path().string() + ".none", {}), 0U);
  EXPECT_FALSE(fs::exists(path().string() + ".none"));
}

TEST_F(SafetensorsFile, OfAnotherTypeIsCopiedAsItIs) {
  put(file_with(R"({"best/d":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},"o":{"dtype":"I64","shape":[1],)"
                R"("data_offsets":[0,8]}})",
                16));
  const fs::path copy = path().string() + ".best";
  EXPECT_EQ(copy_tensors(path(), "best/", copy, {}), 1U);
  EXPECT_NE(read_file(copy).find(R"({"d":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})"), std::string::npos);
  put(file_with(R"({"best/d":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}})", 12));
  EXPECT_THROW(copy_tensors(path(), "best/", copy, {}), InputError);
}

TEST_F(SafetensorsFile, HasTheseBytes) {
  write_safetensors(path(), two_tensors());
  const std::string header =
      R"({"x":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"y":{"dtype":"I32","shape":[3],"data_offsets":[8,20]}})";
  ASSERT_EQ(header.size() % 8, 6U);  // two spaces align the data
  const std::string data(
      "\x00\x00\x80\x3f\x00\x00\x20\xc0"
      "\x07\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00",
      20);
  EXPECT_EQ(read_file(path()), length_prefix(header.size() + 2) + header + "  " + data);
}

TEST_F(SafetensorsFile, IsReadBackUnchangedAndInOrder) {
  std::vector<Tensor> tensors = two_tensors();
  tensors.push_back({"empty", {0, 4}, std::vector<float>{}});
  tensors.push_back({"scalar", {}, std::vector<float>{0.5F}});
  tensors.push_back({"a \"quoted\" name", {1}, std::vector<float>{3.0F}});
  write_safetensors(path(), tensors);
  const std::vector<Tensor> read = read_safetensors(path());
  ASSERT_EQ(read.size(), tensors.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, tensors[i].name);
    EXPECT_EQ(read[i].shape, tensors[i].shape);
    EXPECT_EQ(read[i].values, tensors[i].values);
  }
}

TEST_F(SafetensorsFile, OfNoTensorsIsValid) {
  write_safetensors(path(), {});
  EXPECT_TRUE(read_safetensors(path()).empty());
}

TEST_F(SafetensorsFile, MayHoldMetadata) {
  put(file_with(R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4));
  EXPECT_EQ(read_safetensors(path()).size(), 1U);
}

TEST_F(SafetensorsFile, RefusesTensorsThatContradictThemselves) {
  EXPECT_THROW(write_safetensors(path(), {{"x", {3}, std::vector<float>{1.0F}}}), InternalError);
  EXPECT_THROW(write_safetensors(path(), {{"x", {1}, std::vector<float>{1.0F}}, {"x", {1}, std::vector<float>{1.0F}}}),
               InternalError);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(SafetensorsFile, SaysWhatIsDamagedAroundTheHeader) {
  put("abc");
  EXPECT_EQ(damage(), "it has 3 bytes (the header's length alone takes 8)");
  put(length_prefix(100) + "{}");
  EXPECT_EQ(damage(), "its header claims 100 bytes, but 2 follow (and at most 16777216 are read)");
  put(length_prefix(UINT64_MAX) + "{}");
  EXPECT_EQ(damage(), "its header claims 18446744073709551615 bytes, but 2 follow (and at most 16777216 are read)");
  put(file_with("{nonsense", 0));
  EXPECT_EQ(damage(), "its header holds JSON that is malformed at byte 3");
  put(file_with("[]", 0));
  EXPECT_EQ(damage(), "its header is of the wrong type (array)");
  put(file_with(R"({"x":{},"x":{}})", 0));
  EXPECT_EQ(damage(), R"(its header holds key "x" stands twice in one object)");
  put(file_with(std::string(1 << 20, '['), 0));
  EXPECT_EQ(damage(), "its header holds JSON that is nested deeper than 64 levels");
}

/// The damage of a file with one tensor "x" that has this entry, and `data_bytes` of data.
struct DamagedEntry {
  const char* entry;
  std::size_t data_bytes;
  const char* damage;
};

TEST_F(SafetensorsFile, SaysWhatIsDamagedInAnEntry) {
  const DamagedEntry cases[] = {
      {"7", 0, "tensor \"x\": its entry is of the wrong type (number)"},
      {"{}", 0, "tensor \"x\": dtype is missing"},
      {R"({"dtype":"F64","shape":[1],"data_offsets":[0,8]})", 8,
       "tensor \"x\": dtype is F64 (only F32 and I32 are read)"},
      {R"({"dtype":"F32","shape":{},"data_offsets":[0,4]})", 4, "tensor \"x\": shape is of the wrong type (object)"},
      {R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4,
       "tensor \"x\": shape holds -1 (a whole number of at least 0 is expected)"},
      {R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,4]})", 4,
       "tensor \"x\": shape holds 1.5 (a whole number of at least 0 is expected)"},
      {R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]})", 4,
       "tensor \"x\": shape holds 18446744073709551615 (larger than any file)"},
      {R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]})", 0,
       "tensor \"x\": a tensor of shape (4294967296, 4294967296) is too large (no machine holds it); use smaller "
       "sizes"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", 4,
       "tensor \"x\": data_offsets are 4 to 0, but its shape needs 4 bytes"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0,8]})", 8,
       "tensor \"x\": data_offsets are 0 to 8, but its shape needs 4 bytes"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0]})", 4,
       "tensor \"x\": data_offsets has 1 numbers (2 are expected)"},
      {R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", 7,
       "tensor \"x\" ends at byte 8 of the data, which have 7 bytes (the file is cut short)"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,0]})", 4,
       "tensor \"x\": data_offsets are 18446744073709551612 to 0, but its shape needs 4 bytes"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", 8,
       "tensor \"x\" starts at byte 4 of the data, but the one before it ends at 0"},
      {R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", 6, "2 bytes after the last tensor belong to none"},
  };
  for (const DamagedEntry& damaged : cases) {
    put(file_with(std::string(R"({"x":)") + damaged.entry + "}", damaged.data_bytes));
    EXPECT_EQ(damage(), damaged.damage) << damaged.entry;
  }
}

TEST_F(SafetensorsFile, RefusesTensorsThatShareBytes) {
  put(file_with(
      R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
      12));
  EXPECT_EQ(damage(), "tensor \"y\" starts at byte 4 of the data, but the one before it ends at 8");
}

TEST_F(SafetensorsFile, CutAnywhereIsAnErrorThatNamesTheFile) {
  write_safetensors(path(), two_tensors());
  const std::string whole = read_file(path());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put(whole.substr(0, length));
    EXPECT_NE(damage(), "no error") << "cut to " << length;
  }
}

TEST_F(SafetensorsFile, WithAnyByteChangedIsReadOrRefusedButNeverMisreadInSize) {
  write_safetensors(path(), two_tensors());
  const std::string whole = read_file(path());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const std::uint64_t bits : {random_bits(1, at), random_bits(2, at)}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << (bits % 8)));
      put(changed);
      try {
        for (const Tensor& tensor : read_safetensors(path())) {
          const std::size_t values = std::visit([](const auto& held) { return held.size(); }, tensor.values);
          EXPECT_EQ(values, static_cast<std::size_t>(element_count(tensor.shape)));
        }
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(path().string()));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, whole.size());  // most of the file is header
}

TEST(TensorNamed, FindsTheTensorOrNamesTheMissingOne) {
  const std::vector<Tensor> tensors = two_tensors();
  EXPECT_EQ(&tensor_named(tensors, "y"), &tensors[1]);
  try {
    tensor_named(tensors, "z");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "tensor \"z\" is missing (the model needs it); write the file again for this model");
  }
}

}  // namespace
}  // namespace regatta::model
