// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A fixture for tests that call operators through the C API: owners of a handle, of tensor
// descriptors and of a queue, and expectations about calls that fail.

#ifndef DETOPS_TESTING_C_API_FIXTURE_H_
#define DETOPS_TESTING_C_API_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mlu_op.h"
#include "testing/gate.h"
#include "testing/log_capture.h"

namespace detops {

// Owns a handle. Converts to it, so that it can be passed to C functions directly.
class ScopedHandle {
 public:
  ScopedHandle() { EXPECT_EQ(mluOpCreate(&handle_), MLUOP_STATUS_SUCCESS); }
  ~ScopedHandle() { EXPECT_EQ(mluOpDestroy(handle_), MLUOP_STATUS_SUCCESS); }
  ScopedHandle(const ScopedHandle&) = delete;
  ScopedHandle& operator=(const ScopedHandle&) = delete;

  operator mluOpHandle_t() const { return handle_; }  // NOLINT(google-explicit-constructor)
  mluOpHandle_t get() const { return handle_; }

 private:
  mluOpHandle_t handle_ = nullptr;
};

// A tensor argument of a C function: what its descriptor holds, and its memory.
struct TensorArgument {
  std::vector<int64_t> dims;
  mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT;
  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY;
  void* data = nullptr;
  std::vector<int64_t> strides = {};  // empty: contiguous
  bool is_set = true;                 // otherwise the descriptor is passed as it was created
  bool is_null = false;               // passes NULL instead of a descriptor
};

// Owns a tensor descriptor. Converts to it, so that it can be passed to C functions directly.
class ScopedDescriptor {
 public:
  // Creates a descriptor that was never set.
  ScopedDescriptor() { Create(); }
  explicit ScopedDescriptor(const std::vector<int64_t>& dims,
                            mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT,
                            mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
    Create();
    Set(dims, dtype, layout);
  }
  ~ScopedDescriptor() { Destroy(); }
  ScopedDescriptor(const ScopedDescriptor&) = delete;
  ScopedDescriptor& operator=(const ScopedDescriptor&) = delete;

  // Describes a contiguous tensor.
  void Set(const std::vector<int64_t>& dims, mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT,
           mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
    EXPECT_EQ(mluOpSetTensorDescriptor_v2(descriptor_, layout, dtype, static_cast<int>(dims.size()),
                                          dims.data()),
              MLUOP_STATUS_SUCCESS);
  }
  // Describes a tensor with strides, in elements.
  void SetStrided(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
                  mluOpDataType_t dtype = MLUOP_DTYPE_FLOAT,
                  mluOpTensorLayout_t layout = MLUOP_LAYOUT_ARRAY) {
    EXPECT_EQ(dims.size(), strides.size());
    EXPECT_EQ(
        mluOpSetTensorDescriptorEx_v2(descriptor_, layout, dtype, static_cast<int>(dims.size()),
                                      dims.data(), strides.data()),
        MLUOP_STATUS_SUCCESS);
  }
  // Makes it a descriptor that was never set.
  void Reset() { EXPECT_EQ(mluOpResetTensorDescriptor(descriptor_), MLUOP_STATUS_SUCCESS); }
  // Destroys the descriptor and creates another, for tests that calls do not keep descriptors.
  void Recreate() {
    Destroy();
    Create();
  }

  // Describes `argument` and returns what to pass for it: the descriptor, or NULL.
  mluOpTensorDescriptor_t Describe(const TensorArgument& argument) {
    Reset();
    if (argument.is_set && argument.strides.empty()) {
      Set(argument.dims, argument.dtype, argument.layout);
    } else if (argument.is_set) {
      SetStrided(argument.dims, argument.strides, argument.dtype, argument.layout);
    }
    return argument.is_null ? nullptr : descriptor_;
  }

  // NOLINTNEXTLINE(google-explicit-constructor)
  operator mluOpTensorDescriptor_t() const { return descriptor_; }
  mluOpTensorDescriptor_t get() const { return descriptor_; }

 private:
  void Create() { EXPECT_EQ(mluOpCreateTensorDescriptor(&descriptor_), MLUOP_STATUS_SUCCESS); }
  void Destroy() { EXPECT_EQ(mluOpDestroyTensorDescriptor(descriptor_), MLUOP_STATUS_SUCCESS); }

  mluOpTensorDescriptor_t descriptor_ = nullptr;
};

// Owns a queue that a handle uses until the end of the scope.
class ScopedQueue {
 public:
  explicit ScopedQueue(mluOpHandle_t handle) : handle_(handle) {
    EXPECT_EQ(cnrtQueueCreate(&queue_), cnrtSuccess);
    EXPECT_EQ(mluOpSetQueue(handle_, queue_), MLUOP_STATUS_SUCCESS);
  }
  ~ScopedQueue() {
    Release();
    EXPECT_EQ(mluOpSetQueue(handle_, nullptr), MLUOP_STATUS_SUCCESS);
    EXPECT_EQ(cnrtQueueDestroy(queue_), cnrtSuccess);
  }
  ScopedQueue(const ScopedQueue&) = delete;
  ScopedQueue& operator=(const ScopedQueue&) = delete;

  // Keeps jobs that are submitted from now on from starting until Release or Sync.
  void Hold() {
    Release();
    gate_ = std::make_unique<Gate>();
    EXPECT_TRUE(gate_->Block(queue_).ok());
  }
  void Release() {
    gate_.reset();  // opens it
  }
  // Releases the queue and waits for its jobs. Returns the error that one of them left.
  cnrtRet_t Sync() {
    Release();
    return cnrtQueueSync(queue_);
  }

  operator cnrtQueue_t() const { return queue_; }  // NOLINT(google-explicit-constructor)
  cnrtQueue_t get() const { return queue_; }

 private:
  mluOpHandle_t handle_;
  cnrtQueue_t queue_ = nullptr;
  std::unique_ptr<Gate> gate_;
};

// Checks the status of a C function and, unless MLUOP_STATUS_SUCCESS is expected, that the thread's
// last error is "function: why".
inline void ExpectStatus(mluOpStatus_t status, mluOpStatus_t expected, const std::string& function,
                         const std::string& why = "") {
  EXPECT_EQ(status, expected) << function << ": " << why;
  if (expected != MLUOP_STATUS_SUCCESS) {
    EXPECT_EQ(detopsGetLastError(), function + ": " + why);
  }
}

// Checks that `call` of a C function returns the expected status, logs one line, "function: why",
// which is also the thread's last error, and leaves `results` unchanged.
template <class Call, class... Results>
void ExpectRefused(const std::string& function, mluOpStatus_t expected, const std::string& why,
                   const Call& call, const Results&... results) {
  LogCapture log;
  const std::tuple<Results...> before(results...);
  ExpectStatus(call(), expected, function, why);
  EXPECT_THAT(log.Take(), testing::ElementsAre(function + ": " + why));
  EXPECT_TRUE(before == std::tie(results...)) << function << " wrote results, " << why;
}

// The base of the fixture of one C function: a handle, and expectations that know its name.
class CApiTest : public testing::Test {
 protected:
  explicit CApiTest(std::string function) : function_(std::move(function)) {}

  // Checks a failing call, see detops::ExpectRefused.
  template <class Call, class... Results>
  void ExpectRefused(mluOpStatus_t expected, const std::string& why, const Call& call,
                     const Results&... results) {
    detops::ExpectRefused(function_, expected, why, call, results...);
  }
  template <class Call, class... Results>
  void ExpectBadParam(const std::string& why, const Call& call, const Results&... results) {
    ExpectRefused(MLUOP_STATUS_BAD_PARAM, why, call, results...);
  }
  template <class Call, class... Results>
  void ExpectNotSupported(const std::string& why, const Call& call, const Results&... results) {
    ExpectRefused(MLUOP_STATUS_NOT_SUPPORTED, why, call, results...);
  }

  const std::string function_;
  const ScopedHandle handle_;
};

}  // namespace detops

#endif  // DETOPS_TESTING_C_API_FIXTURE_H_
