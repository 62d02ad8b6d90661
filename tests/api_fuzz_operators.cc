// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "tests/api_fuzz_operators.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "tests/api_fuzz_checks.h"

namespace detops {
namespace {

// Tensors larger than this get a null pointer instead of memory.
constexpr size_t kMaxBytes = size_t{1} << 22;

constexpr auto kArray = MLUOP_LAYOUT_ARRAY;
constexpr auto kImages = MLUOP_LAYOUT_NHWC;

enum class Role { kInput, kOutput };

// Returns `expected` mostly, sometimes a number near it, and rarely one far from it.
int TakeNear(FuzzBytes& bytes, int expected) {
  constexpr int kFar[] = {0, -1, INT32_MAX, INT32_MIN, 1 << 16, 46341};
  const int choice = bytes.TakeInRange(0, 31);
  return choice == 0   ? expected + bytes.TakeInRange(-2, 2)
         : choice == 1 ? kFar[bytes.TakeInRange(0, 5)]
                       : expected;
}

mluOpDataType_t TakeType(FuzzBytes& bytes) {
  return static_cast<mluOpDataType_t>(bytes.TakeInRange(-1, 18));
}

// The descriptors and memory of one call.
class Call {
 public:
  Call(FuzzBytes& bytes, CallMemory& memory) : bytes_(bytes), memory_(memory) {}
  ~Call() {
    // The call may still be pending: it must not need its descriptors.
    for (mluOpTensorDescriptor_t desc : descriptors_) {
      Require(mluOpDestroyTensorDescriptor(desc) == MLUOP_STATUS_SUCCESS,
              "a descriptor cannot be destroyed");
    }
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  struct Tensor {
    mluOpTensorDescriptor_t desc;
    void* data;
  };

  // Adds a descriptor, and memory of exactly the size that it describes.
  Tensor Add(Role role, mluOpTensorLayout_t layout, mluOpDataType_t dtype,
             std::initializer_list<int> expected_dims) {
    std::vector<int64_t> dims;
    for (const int dim : expected_dims) {
      dims.push_back(TakeNear(bytes_, dim));
    }
    mluOpTensorDescriptor_t desc = nullptr;
    Require(mluOpCreateTensorDescriptor(&desc) == MLUOP_STATUS_SUCCESS,
            "a descriptor cannot be created");
    descriptors_.push_back(desc);
    Describe(desc, layout, dtype, dims);
    void* const data = Allocate(role, BytesOf(desc));
    return {bytes_.TakeInRange(0, 63) == 1 ? nullptr : desc, data};
  }

  // Returns NULL for 0 bytes, and rarely for other sizes.
  void* Allocate(Role role, size_t bytes) {
    if (bytes == 0 || bytes > kMaxBytes || bytes_.TakeInRange(0, 63) == 1) {
      return nullptr;
    }
    const auto bytes_after = static_cast<size_t>(bytes_.TakeInRange(0, 3)) * sizeof(float);
    memory_.push_back(std::make_unique<GuardedBuffer>(bytes, bytes_after));
    std::byte* const data = memory_.back()->data();
    if (role == Role::kInput) {
      Fill(data, bytes);
    } else {
      outputs_.push_back(memory_.back().get());
    }
    return data;
  }

  struct Workspace {
    void* data;
    size_t bytes;
  };

  // Adds a workspace at any address; it is rarely too small.
  Workspace AddWorkspace(size_t bytes) {
    if (bytes > kMaxBytes) {
      return {nullptr, bytes};
    }
    const int choice = bytes_.TakeInRange(0, 31);
    const size_t given = choice == 0 && bytes != 0 ? bytes - 1 : (choice == 1 ? bytes / 2 : bytes);
    const auto bytes_after = static_cast<size_t>(bytes_.TakeInRange(0, 64));
    memory_.push_back(std::make_unique<GuardedBuffer>(given, bytes_after));
    return {choice == 2 ? nullptr : memory_.back()->data(), given};
  }

  void Check(const char* function, mluOpStatus_t status) const {
    if (status == MLUOP_STATUS_SUCCESS) {
      return;
    }
    Require(status == MLUOP_STATUS_BAD_PARAM || status == MLUOP_STATUS_NOT_SUPPORTED,
            "a failure is neither BAD_PARAM nor NOT_SUPPORTED");
    RequireReason(function);
    for (const GuardedBuffer* output : outputs_) {
      Require(std::all_of(output->data(), output->data() + output->size(),
                          [](std::byte byte) { return byte == std::byte{0xA5}; }),
              "a failed call wrote results");
    }
  }

 private:
  void Describe(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout, mluOpDataType_t dtype,
                std::vector<int64_t>& dims) {
    const int choice = bytes_.TakeInRange(0, 63);
    if (choice == 0) {
      return;  // never set
    }
    if (choice == 1) {
      dims.push_back(bytes_.TakeInRange(0, 2));
    }
    std::vector<int64_t> strides(dims.size(), 1);
    for (size_t i = dims.size(); i-- > 1;) {
      // A product that overflows is rejected below.
      strides[i - 1] = static_cast<int64_t>(static_cast<uint64_t>(strides[i]) *
                                            static_cast<uint64_t>(std::max<int64_t>(dims[i], 1)));
    }
    if (choice == 2) {
      strides[0] += bytes_.TakeInRange(0, 2);
    }
    // Fails if a dimension is negative; the descriptor then stays unset.
    mluOpSetTensorDescriptorEx_v2(
        desc, choice == 3 ? static_cast<mluOpTensorLayout_t>(bytes_.TakeInRange(0, 10)) : layout,
        choice == 4 ? TakeType(bytes_) : dtype, static_cast<int>(dims.size()), dims.data(),
        strides.data());
  }

  static size_t BytesOf(mluOpTensorDescriptor_t desc) {
    mluOpTensorLayout_t layout;
    mluOpDataType_t dtype;
    int rank;
    Require(
        mluOpGetTensorDescriptor_v2(desc, &layout, &dtype, &rank, nullptr) == MLUOP_STATUS_SUCCESS,
        "a descriptor cannot be read");
    size_t size = 0;
    if (dtype == MLUOP_DTYPE_INVALID) {
      return 0;
    }
    Require(mluOpGetSizeOfDataType(dtype, &size) == MLUOP_STATUS_SUCCESS, "a type has no size");
    const size_t elements = mluOpGetTensorElementNum(desc);
    return elements > kMaxBytes ? elements : elements * size;
  }

  // Repeats a few numbers, among them integers, which batch indices must be.
  void Fill(std::byte* data, size_t bytes) {
    float numbers[5];
    for (float& number : numbers) {
      number = bytes_.TakeFloat();
    }
    const auto* const pattern = reinterpret_cast<const std::byte*>(numbers);
    for (size_t i = 0; i < bytes; ++i) {
      data[i] = pattern[i % sizeof(numbers)];
    }
  }

  FuzzBytes& bytes_;
  CallMemory& memory_;
  std::vector<mluOpTensorDescriptor_t> descriptors_;
  std::vector<const GuardedBuffer*> outputs_;
};

void CallBboxOverlaps(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory) {
  Call call(bytes, memory);
  const auto dtype = bytes.TakeInRange(0, 1) != 0 ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_HALF;
  const bool aligned = bytes.TakeInRange(0, 1) != 0;
  const int rows = bytes.TakeInRange(0, 20);
  const int columns = aligned ? rows : bytes.TakeInRange(0, 20);
  const auto bbox1 = call.Add(Role::kInput, kArray, dtype, {rows, 4});
  const auto bbox2 = call.Add(Role::kInput, kArray, dtype, {columns, 4});
  const auto ious = aligned ? call.Add(Role::kOutput, kArray, dtype, {rows})
                            : call.Add(Role::kOutput, kArray, dtype, {rows, columns});
  const int mode = TakeNear(bytes, bytes.TakeInRange(0, 1));
  const int offset = TakeNear(bytes, bytes.TakeInRange(0, 1));
  call.Check("mluOpBboxOverlaps",
             mluOpBboxOverlaps(handle, mode, aligned, offset, bbox1.desc, bbox1.data, bbox2.desc,
                               bbox2.data, ious.desc, ious.data));
}

void CallPolyNms(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory) {
  Call call(bytes, memory);
  const int count = bytes.TakeInRange(0, 30);
  const auto boxes = call.Add(Role::kInput, kArray, MLUOP_DTYPE_FLOAT, {count, 9});
  const auto output = call.Add(Role::kOutput, kArray, MLUOP_DTYPE_INT32, {count});
  void* const result_num = call.Allocate(Role::kOutput, sizeof(int32_t));
  size_t size = 0;
  call.Check("mluOpGetPolyNmsWorkspaceSize",
             mluOpGetPolyNmsWorkspaceSize(handle, boxes.desc, &size));
  const auto workspace = call.AddWorkspace(size);
  const float threshold = bytes.TakeFloat();
  call.Check("mluOpPolyNms", mluOpPolyNms(handle, boxes.desc, boxes.data, threshold, workspace.data,
                                          workspace.bytes, output.desc, output.data, result_num));
}

void CallGenerateProposals(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory) {
  Call call(bytes, memory);
  constexpr auto kFloat = MLUOP_DTYPE_FLOAT;
  const int n = bytes.TakeInRange(0, 3);
  const int h = bytes.TakeInRange(1, 5);
  const int w = bytes.TakeInRange(1, 5);
  const int a = bytes.TakeInRange(1, 4);
  const int pre = TakeNear(bytes, bytes.TakeInRange(0, 60));
  const int post = bytes.TakeInRange(1, 40);
  const auto scores = call.Add(Role::kInput, kArray, kFloat, {n, h, w, a});
  const auto deltas = call.Add(Role::kInput, kArray, kFloat, {n, h, w, 4 * a});
  const auto im_shape = call.Add(Role::kInput, kArray, kFloat, {n, 2});
  const auto anchors = call.Add(Role::kInput, kArray, kFloat, {h, w, a, 4});
  const auto variances = call.Add(Role::kInput, kArray, kFloat, {h, w, a, 4});
  const auto rois = call.Add(Role::kOutput, kArray, kFloat, {n * post, 4});
  const auto probs = call.Add(Role::kOutput, kArray, kFloat, {n * post, 1});
  const auto num = call.Add(Role::kOutput, kArray, MLUOP_DTYPE_INT32, {n});
  void* const total = call.Allocate(Role::kOutput, sizeof(int32_t));
  size_t size = 0;
  if (bytes.TakeInRange(0, 1) != 0) {
    call.Check("mluOpGetGenerateProposalsV2WorkspaceSize",
               mluOpGetGenerateProposalsV2WorkspaceSize(handle, scores.desc, &size));
  } else {
    call.Check("mluOpGetGenerateProposalsV2WorkspaceSize_v2",
               mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle, scores.desc, pre, &size));
  }
  const auto workspace = call.AddWorkspace(size);
  const float nms_thresh = bytes.TakeRarely() ? bytes.TakeFloat() : 0.5f;
  const float min_size = bytes.TakeRarely() ? bytes.TakeFloat() : 0.1f;
  const float eta = bytes.TakeRarely() ? bytes.TakeFloat() : 1.0f;
  const bool pixel_offset = bytes.TakeInRange(0, 1) != 0;
  const int post_nms_top_n = TakeNear(bytes, post);
  call.Check("mluOpGenerateProposalsV2",
             mluOpGenerateProposalsV2(
                 handle, pre, post_nms_top_n, nms_thresh, min_size, eta, pixel_offset, scores.desc,
                 scores.data, deltas.desc, deltas.data, im_shape.desc, im_shape.data, anchors.desc,
                 anchors.data, variances.desc, variances.data, workspace.data, workspace.bytes,
                 rois.desc, rois.data, probs.desc, probs.data, num.desc, num.data, total));
}

void CallBorderAlign(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory) {
  Call call(bytes, memory);
  const auto dtype = bytes.TakeInRange(0, 1) != 0 ? MLUOP_DTYPE_FLOAT : MLUOP_DTYPE_HALF;
  const int n = bytes.TakeInRange(1, 3);
  const int c = bytes.TakeInRange(1, 9);
  const int k = bytes.TakeInRange(1, 9);
  const auto input = call.Add(Role::kInput, kImages, dtype,
                              {n, bytes.TakeInRange(1, 9), bytes.TakeInRange(1, 9), 4 * c});
  const auto boxes = call.Add(Role::kInput, kArray, dtype, {n, k, 4});
  const auto output = call.Add(Role::kOutput, kImages, dtype, {n, k, 4, c});
  const auto argmax = call.Add(Role::kOutput, kImages, MLUOP_DTYPE_INT32, {n, k, 4, c});
  // Large numbers are valid, but take too long.
  const int pool_size = bytes.TakeInRange(-1, 20);
  call.Check(
      "mluOpBorderAlignForward",
      mluOpBorderAlignForward(handle, input.desc, input.data, boxes.desc, boxes.data, pool_size,
                              output.desc, output.data, argmax.desc, argmax.data));
}

void CallPsRoiPool(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory) {
  Call call(bytes, memory);
  const int group = bytes.TakeInRange(1, 4);
  const int dim = bytes.TakeInRange(1, 5);
  const int rois_count = bytes.TakeInRange(1, 9);
  const auto input = call.Add(Role::kInput, kImages, MLUOP_DTYPE_FLOAT,
                              {bytes.TakeInRange(0, 3), bytes.TakeInRange(0, 9),
                               bytes.TakeInRange(0, 9), group * group * dim});
  const auto rois = call.Add(Role::kInput, kArray, MLUOP_DTYPE_FLOAT, {rois_count, 5});
  const auto output =
      call.Add(Role::kOutput, kImages, MLUOP_DTYPE_FLOAT, {rois_count, group, group, dim});
  const auto mapping =
      call.Add(Role::kOutput, kImages, MLUOP_DTYPE_INT32, {rois_count, group, group, dim});
  const float scale = bytes.TakeInRange(0, 3) == 0 ? bytes.TakeFloat() : 0.25f;
  const auto workspace = call.AddWorkspace(static_cast<size_t>(bytes.TakeInRange(0, 9)));
  const int height = TakeNear(bytes, group);
  const int width = TakeNear(bytes, group);
  const int group_size = TakeNear(bytes, group);
  const int output_dim = TakeNear(bytes, dim);
  call.Check(
      "mluOpPsRoiPoolForward",
      mluOpPsRoiPoolForward(handle, height, width, scale, group_size, output_dim, input.desc,
                            input.data, rois.desc, rois.data, workspace.data, workspace.bytes,
                            output.desc, output.data, mapping.desc, mapping.data));
}

}  // namespace

void CallOperator(FuzzBytes& bytes, mluOpHandle_t handle, CallMemory& memory) {
  constexpr decltype(&CallBboxOverlaps) kCalls[] = {
      CallBboxOverlaps, CallPolyNms, CallGenerateProposals, CallBorderAlign, CallPsRoiPool};
  kCalls[bytes.TakeInRange(0, std::size(kCalls) - 1)](bytes, handle, memory);
}

}  // namespace detops
