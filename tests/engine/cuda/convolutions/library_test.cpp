// Opening cuDNN where it is missing, where something else has its name, and where it is.
#include "engine/cuda/convolutions/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cuda/convolutions/convolutions.hpp"
#include "engine/cuda/convolutions/descriptor.hpp"
#include "support/cuda/cudnn/orders.hpp"

namespace regatta::engine::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(CudnnLibraryTest, AMissingLibraryIsNamedWithWhatToDo) {
  const OpenedCudnn opened = open_cudnn_at("libcudnn_of_nobody.so.9");
  EXPECT_FALSE(opened.library);
  EXPECT_THAT(opened.missing, AllOf(HasSubstr("libcudnn_of_nobody.so.9"), HasSubstr("LD_LIBRARY_PATH")));
}

TEST(CudnnLibraryTest, ALibraryWithoutItsFunctionsIsNotTaken) {
  const OpenedCudnn opened = open_cudnn_at("libm.so.6");
  EXPECT_FALSE(opened.library);
  EXPECT_THAT(opened.missing, HasSubstr("libm.so.6 has no cudnnGetVersion"));
}

TEST(CudnnLibraryTest, ALibraryOfAnotherMajorVersionIsNotTaken) {
  const OpenedCudnn opened = open_cudnn_at(REGATTA_CUDNN_8907);
  EXPECT_FALSE(opened.library);
  EXPECT_THAT(opened.missing, HasSubstr("is version 8.9.7 of cuDNN, this build is for 9"));
}

TEST(CudnnLibraryTest, ALibraryOfThisMajorVersionIsTakenWithAllItsFunctions) {
  const OpenedCudnn opened = open_cudnn_at(REGATTA_CUDNN_91900);
  ASSERT_TRUE(opened.library) << opened.missing;
  const CudnnLibrary& table = *opened.library;
  EXPECT_EQ(table.get_version(), 91900U);
  EXPECT_NE(table.error_string, nullptr);
  EXPECT_NE(table.last_error_string, nullptr);
  EXPECT_NE(table.create, nullptr);
  EXPECT_NE(table.destroy, nullptr);
  EXPECT_NE(table.set_stream, nullptr);
  EXPECT_NE(table.create_descriptor, nullptr);
  EXPECT_NE(table.destroy_descriptor, nullptr);
  EXPECT_NE(table.set_attribute, nullptr);
  EXPECT_NE(table.get_attribute, nullptr);
  EXPECT_NE(table.finalize, nullptr);
  EXPECT_NE(table.execute, nullptr);
}

TEST(CudnnDescriptorTest, WhatIsRefusedNamesTheCallTheStatusAndTheReason) {
  const CudnnLibrary fake = *open_cudnn().library;
  Descriptor tensor(fake, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  try {
    tensor.finalize();
    FAIL();
  } catch (const CudnnRefusal& refusal) {
    EXPECT_STREQ(refusal.what(), "cudnnBackendFinalize: CUDNN_STATUS_BAD_PARAM: attribute 901 was not set");
  }
  EXPECT_THROW(static_cast<void>(tensor.get<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID)), CudnnRefusal);
}

TEST(CudnnDescriptorTest, DescriptorsDestroyThemselvesOnce) {
  const CudnnLibrary fake = *open_cudnn().library;
  const std::int64_t before = cuda_fakes::cudnn::live_descriptors();
  {
    Descriptor one(fake, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    Descriptor other(std::move(one));
    Descriptor third(fake, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    third = std::move(other);
    EXPECT_EQ(cuda_fakes::cudnn::live_descriptors(), before + 2);
  }
  EXPECT_EQ(cuda_fakes::cudnn::live_descriptors(), before);
}

}  // namespace
}  // namespace regatta::engine::cuda
