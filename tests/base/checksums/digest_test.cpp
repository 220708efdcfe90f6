#include "regatta/base/digest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>
#include <utility>

namespace regatta {
namespace {

// FIPS 180-4's examples, published by NIST with the standard.
TEST(Sha256, GivesTheStandardsExamples) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      sha256_hex(
          "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrs"
          "tnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The lengths at which the padding needs one chunk more; values from Python's hashlib.
TEST(Sha256, PadsEveryLength) {
  const std::pair<std::size_t, const char*> lengths[] = {
      {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
      {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
      {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
      {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
      {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
      {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
      {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"}};
  for (const auto& [length, expected] : lengths) EXPECT_EQ(sha256_hex(std::string(length, 'a')), expected) << length;
}

TEST(Hash128, IsTheHeadOfTheSha256) { EXPECT_EQ(to_string(hash128("abc")), "ba7816bf8f01cfea414140de5dae2223"); }

TEST(Hash128, IsReadBackFromItsText) {
  const Hash128 hash = hash128("abc");
  EXPECT_EQ(parse_hash128(to_string(hash)), hash);
}

TEST(Hash128, IsNotReadFromAnythingElse) {
  for (const char* text : {"", "ba7816bf8f01cfea414140de5dae222", "ba7816bf8f01cfea414140de5dae22233",
                           "BA7816BF8F01CFEA414140DE5DAE2223", "ga7816bf8f01cfea414140de5dae2223"}) {
    EXPECT_EQ(parse_hash128(text), std::nullopt) << text;
  }
}

TEST(Hash128, IsAKeyOfOrderedAndUnorderedContainers) {
  const std::unordered_set<Hash128> set = {hash128("a"), hash128("b"), hash128("a")};
  EXPECT_EQ(set.size(), 2U);
  EXPECT_LT(*parse_hash128("00000000000000000000000000000001"), *parse_hash128("01000000000000000000000000000000"));
}

}  // namespace
}  // namespace regatta
