#include "results/file/handles.hpp"

#include <gmock/gmock.h>

#include "results/files_and_messages.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results::hdf5 {
namespace {

using testing::HasSubstr;

TEST(Handles, FailedCallSaysWhatWasDoneAndWhyItFailed) {
  const QuietErrors quiet;
  const support::TemporaryFolder folder;
  EXPECT_THAT(message_of<Hdf5Error>([&] { open_to_read(folder / "none.h5"); }),
              HasSubstr("cannot open it: unable to open file"));
}

TEST(Handles, ErrorsArePrintedAgainAfterQuiet) {
  testing::internal::CaptureStderr();
  {
    const QuietErrors quiet;
    H5Dclose(H5I_INVALID_HID);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  H5Dclose(H5I_INVALID_HID);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("HDF5-DIAG"));
}

/// Identifiers that are open in this process.
ssize_t open_identifiers() { return H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL); }

TEST(Handles, EveryIdentifierIsClosed) {
  const support::TemporaryFolder folder;
  const ssize_t before = open_identifiers();
  {
    const File file = create_in_memory();
    Group group(H5Gcreate2(file, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create a");
    group = Group(H5Gcreate2(file, "b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create b");
    const Type type = text_type();
    EXPECT_EQ(H5Fget_obj_count(file, H5F_OBJ_GROUP), 1);
    spill(folder / "a.h5", file_image(file));
  }
  EXPECT_EQ(open_identifiers(), before);
  EXPECT_GT(H5Lexists(open_to_read(folder / "a.h5"), "b", H5P_DEFAULT), 0);
}

}  // namespace
}  // namespace regatta::results::hdf5
