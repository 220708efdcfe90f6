// Parameters as bytes: changes to those before, or all of them after nulls.
#include "protocol/packed_parameters.hpp"

#include <gmock/gmock.h>

#include "protocol/messages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

sweep::Parameters other_parameters() {
  sweep::Parameters parameters = testing::some_parameters();
  parameters[sweep::Param::batch] = std::int64_t{64};
  parameters[sweep::Param::mode] = std::monostate();
  return parameters;
}

TEST(PackedParameters, ChangesGiveEachTrialItsOwn) {
  const std::vector<sweep::Parameters> trials = {
      testing::some_parameters(), other_parameters(), {}, testing::some_parameters()};
  ByteWriter out;
  sweep::RowValues written;
  for (const sweep::Parameters& trial : trials) put_changes(out, trial, written);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  sweep::RowValues read;
  for (const sweep::Parameters& trial : trials) EXPECT_EQ(take_changes(in, read), trial);
  EXPECT_TRUE(in.is_at_end());
}

TEST(PackedParameters, AllOfThemAreChangesToNulls) {
  ByteWriter all;
  put_all(all, testing::some_parameters());
  ByteWriter changes;
  sweep::RowValues nothing;
  put_changes(changes, testing::some_parameters(), nothing);
  EXPECT_EQ(all.take(), changes.take());
}

TEST(PackedParameters, RefusesWhatIsNoParameterAndNoValue) {
  const auto taken = [](const std::string& bytes) {
    return [bytes] {
      ByteReader in(bytes);
      sweep::RowValues nothing;
      take_changes(in, nothing);
    };
  };
  EXPECT_THAT(taken(std::string(8, '\xff') + std::string(8, '\0')),
              ThrowsMessage<InputError>(HasSubstr("a parameter is unknown")));
  EXPECT_THAT(taken(std::string("\1\0\0\0\0\0\0\0\7", 9)), ThrowsMessage<InputError>(HasSubstr("of no known type")));
  EXPECT_THAT(taken(std::string("\1\0\0\0\0\0\0\0\1\2", 10)),
              ThrowsMessage<InputError>(HasSubstr("a flag is neither")));
  EXPECT_THAT(taken(std::string("\1\0\0", 3)), ThrowsMessage<InputError>(HasSubstr("ends too early")));
}

}  // namespace
}  // namespace regatta::protocol
