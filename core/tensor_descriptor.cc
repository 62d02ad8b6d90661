// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/tensor_descriptor.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/boundary.h"
#include "core/check.h"

using detops::ApiCall;
using detops::BadParam;
using detops::CheckEnum;
using detops::CheckNotNull;
using detops::CheckRange;
using detops::Dimensions;
using detops::FindLive;
using detops::Status;
using detops::TensorDescriptor;
using detops::TensorShape;

namespace {

Status CheckKnownDataType(const char* argument, mluOpDataType_t dtype) {
  return detops::DataTypeName(dtype) ? Status()
                                     : BadParam("{} is {}; it must be a mluOpDataType_t", argument,
                                                static_cast<int>(dtype));
}

Status CheckLayoutAndType(mluOpTensorLayout_t layout, mluOpDataType_t dtype) {
  DETOPS_RETURN_IF_ERROR(CheckEnum("layout", layout, MLUOP_LAYOUT_NCHW, MLUOP_LAYOUT_NCL));
  DETOPS_RETURN_IF_ERROR(CheckKnownDataType("dtype", dtype));
  return dtype != MLUOP_DTYPE_INVALID
             ? Status()
             : BadParam("dtype is MLUOP_DTYPE_INVALID; it must be a data type");
}

// Copies the caller's dimensions or strides to 64 bits.
template <class Integer>
Status ReadArray(const char* argument, int rank, const Integer* values, Dimensions& result) {
  if (rank > 0) {
    DETOPS_RETURN_IF_ERROR(CheckNotNull(argument, values));
    std::copy_n(values, rank, result.begin());
  }
  return {};
}

// Set the shape from 32-bit or 64-bit dimensions. On failure, `shape` is unchanged.
template <class Integer>
Status ReadDimensions(TensorShape& shape, int rank, const Integer* dims) {
  DETOPS_RETURN_IF_ERROR(CheckRange("dimNb", rank, 0, MLUOP_DIM_MAX));
  Dimensions wide_dims{};
  DETOPS_RETURN_IF_ERROR(ReadArray("dimSize", rank, dims, wide_dims));
  return SetDimensions(shape, rank, wide_dims.data());
}

template <class Integer>
Status ReadShape(TensorShape& shape, mluOpTensorLayout_t layout, mluOpDataType_t dtype, int rank,
                 const Integer* dims) {
  DETOPS_RETURN_IF_ERROR(CheckLayoutAndType(layout, dtype));
  DETOPS_RETURN_IF_ERROR(ReadDimensions(shape, rank, dims));
  shape.layout = layout;
  shape.dtype = dtype;
  return {};
}

template <class Integer>
mluOpStatus_t SetShape(const char* function, mluOpTensorDescriptor_t desc,
                       mluOpTensorLayout_t layout, mluOpDataType_t dtype, int rank,
                       const Integer* dims) {
  return ApiCall(function, [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    return ReadShape(found->shape, layout, dtype, rank, dims);
  });
}

template <class Integer>
mluOpStatus_t SetStridedShape(const char* function, mluOpTensorDescriptor_t desc,
                              mluOpTensorLayout_t layout, mluOpDataType_t dtype, int rank,
                              const Integer* dims, const Integer* strides) {
  return ApiCall(function, [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    TensorShape shape = found->shape;
    DETOPS_RETURN_IF_ERROR(ReadShape(shape, layout, dtype, rank, dims));
    DETOPS_RETURN_IF_ERROR(ReadArray("dimStride", rank, strides, shape.strides));
    found->shape = shape;
    return {};
  });
}

template <class Integer>
mluOpStatus_t SetDims(const char* function, mluOpTensorDescriptor_t desc, int rank,
                      const Integer* dims) {
  return ApiCall(function, [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    return ReadDimensions(found->shape, rank, dims);
  });
}

// Writes a result, unless the caller passed NULL because it does not want it.
template <class Value>
void WriteIfWanted(Value value, Value* result) {
  if (result != nullptr) {
    *result = value;
  }
}

// Checks that dimensions or strides fit the caller's integers. A null array is skipped.
template <class Integer>
Status CheckFits(const char* argument, int rank, const Dimensions& values, const Integer* result) {
  for (int i = 0; result != nullptr && i < rank; ++i) {
    if (values[i] < std::numeric_limits<Integer>::min() ||
        values[i] > std::numeric_limits<Integer>::max()) {
      return BadParam("{}[{}] is {}, which does not fit an int; use the _v2 function", argument, i,
                      values[i]);
    }
  }
  return {};
}

template <class Integer>
void WriteArray(int rank, const Dimensions& values, Integer* result) {
  for (int i = 0; result != nullptr && i < rank; ++i) {
    result[i] = static_cast<Integer>(values[i]);
  }
}

template <class Integer>
mluOpStatus_t GetShape(const char* function, mluOpTensorDescriptor_t desc,
                       mluOpTensorLayout_t* layout, mluOpDataType_t* dtype, int* rank,
                       Integer* dims, Integer* strides) {
  return ApiCall(function, [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    const TensorShape& shape = found->shape;
    DETOPS_RETURN_IF_ERROR(CheckFits("dimSize", shape.rank, shape.dims, dims));
    DETOPS_RETURN_IF_ERROR(CheckFits("dimStride", shape.rank, shape.strides, strides));
    WriteIfWanted(shape.layout, layout);
    WriteIfWanted(shape.dtype, dtype);
    WriteIfWanted(shape.rank, rank);
    WriteArray(shape.rank, shape.dims, dims);
    WriteArray(shape.rank, shape.strides, strides);
    return {};
  });
}

// Stores a value that nothing here depends on, or returns it.
template <class Value>
mluOpStatus_t SetField(const char* function, mluOpTensorDescriptor_t desc,
                       Value TensorDescriptor::*field, Value value) {
  return ApiCall(function, [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    found->*field = value;
    return {};
  });
}

template <class Value>
mluOpStatus_t GetField(const char* function, mluOpTensorDescriptor_t desc,
                       Value TensorDescriptor::*field, Value* value) {
  return ApiCall(function, [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    WriteIfWanted(found->*field, value);
    return {};
  });
}

Status CheckGroup(mluOpTensorDescriptor_t* const* group_desc, int desc_num) {
  DETOPS_RETURN_IF_ERROR(CheckNotNull("group_desc", group_desc));
  DETOPS_RETURN_IF_ERROR(CheckRange("desc_num", desc_num, 1, std::numeric_limits<int>::max()));
  for (int i = 0; i < desc_num; ++i) {
    if (group_desc[i] == nullptr) {
      return BadParam("group_desc[{}] is NULL; it must be a pointer to a tensor descriptor", i);
    }
  }
  return {};
}

Status CheckGroupIsLive(mluOpTensorDescriptor_t* const* group_desc, int desc_num) {
  DETOPS_RETURN_IF_ERROR(CheckGroup(group_desc, desc_num));
  for (int i = 0; i < desc_num; ++i) {
    if (*group_desc[i] == nullptr) {
      return BadParam("*group_desc[{}] is NULL; it must be a tensor descriptor", i);
    }
    if (detops::Find<TensorDescriptor>(*group_desc[i]) == nullptr) {
      return detops::NotLiveError(fmt::format("*group_desc[{}]", i).c_str(),
                                  detops::ObjectKind::kTensorDescriptor, *group_desc[i]);
    }
  }
  return {};
}

// Descriptors that are destroyed with it.
struct NewDescriptors {
  std::vector<mluOpTensorDescriptor_t> values;

  ~NewDescriptors() {
    for (const mluOpTensorDescriptor_t value : values) {
      std::unique_ptr<TensorDescriptor> destroyed;
      static_cast<void>(detops::Unregister("desc", value, destroyed));
    }
  }
};

}  // namespace

mluOpStatus_t mluOpGetSizeOfDataType(mluOpDataType_t data_type, size_t* size) {
  return ApiCall("mluOpGetSizeOfDataType", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("size", size));
    const size_t bytes = detops::DataTypeSize(data_type);
    if (bytes == 0) {
      return BadParam("data_type is {}; it must be a type with elements",
                      static_cast<int>(data_type));
    }
    *size = bytes;
    return {};
  });
}

mluOpStatus_t mluOpCreateTensorDescriptor(mluOpTensorDescriptor_t* desc) {
  return ApiCall("mluOpCreateTensorDescriptor", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckNotNull("desc", desc));
    *desc = detops::Register(std::make_unique<TensorDescriptor>());
    return {};
  });
}

mluOpStatus_t mluOpDestroyTensorDescriptor(mluOpTensorDescriptor_t desc) {
  return ApiCall("mluOpDestroyTensorDescriptor", [&]() -> Status {
    std::unique_ptr<TensorDescriptor> destroyed;
    return detops::Unregister("desc", desc, destroyed);
  });
}

mluOpStatus_t mluOpResetTensorDescriptor(mluOpTensorDescriptor_t desc) {
  return ApiCall("mluOpResetTensorDescriptor", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    *found = TensorDescriptor();
    return {};
  });
}

mluOpStatus_t mluOpSetTensorDescriptor(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                       mluOpDataType_t dtype, int dimNb, const int dimSize[]) {
  return SetShape("mluOpSetTensorDescriptor", desc, layout, dtype, dimNb, dimSize);
}

mluOpStatus_t mluOpSetTensorDescriptor_v2(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                          mluOpDataType_t dtype, int dimNb,
                                          const int64_t dimSize[]) {
  return SetShape("mluOpSetTensorDescriptor_v2", desc, layout, dtype, dimNb, dimSize);
}

mluOpStatus_t mluOpSetTensorDescriptorEx(mluOpTensorDescriptor_t desc, mluOpTensorLayout_t layout,
                                         mluOpDataType_t dtype, int dimNb, const int dimSize[],
                                         const int dimStride[]) {
  return SetStridedShape("mluOpSetTensorDescriptorEx", desc, layout, dtype, dimNb, dimSize,
                         dimStride);
}

mluOpStatus_t mluOpSetTensorDescriptorEx_v2(mluOpTensorDescriptor_t desc,
                                            mluOpTensorLayout_t layout, mluOpDataType_t dtype,
                                            int dimNb, const int64_t dimSize[],
                                            const int64_t dimStride[]) {
  return SetStridedShape("mluOpSetTensorDescriptorEx_v2", desc, layout, dtype, dimNb, dimSize,
                         dimStride);
}

mluOpStatus_t mluOpSetTensorDescriptorDim(mluOpTensorDescriptor_t desc, int dimNb,
                                          const int* dimSize) {
  return SetDims("mluOpSetTensorDescriptorDim", desc, dimNb, dimSize);
}

mluOpStatus_t mluOpSetTensorDescriptorDim_v2(mluOpTensorDescriptor_t desc, int dimNb,
                                             const int64_t* dimSize) {
  return SetDims("mluOpSetTensorDescriptorDim_v2", desc, dimNb, dimSize);
}

mluOpStatus_t mluOpGetTensorDescriptor(const mluOpTensorDescriptor_t desc,
                                       mluOpTensorLayout_t* layout, mluOpDataType_t* dtype,
                                       int* dimNb, int dimSize[]) {
  return GetShape<int>("mluOpGetTensorDescriptor", desc, layout, dtype, dimNb, dimSize, nullptr);
}

mluOpStatus_t mluOpGetTensorDescriptor_v2(const mluOpTensorDescriptor_t desc,
                                          mluOpTensorLayout_t* layout, mluOpDataType_t* dtype,
                                          int* dimNb, int64_t dimSize[]) {
  return GetShape<int64_t>("mluOpGetTensorDescriptor_v2", desc, layout, dtype, dimNb, dimSize,
                           nullptr);
}

mluOpStatus_t mluOpGetTensorDescriptorEx(const mluOpTensorDescriptor_t desc,
                                         mluOpTensorLayout_t* layout, mluOpDataType_t* dtype,
                                         int* dimNb, int dimSize[], int dimStride[]) {
  return GetShape<int>("mluOpGetTensorDescriptorEx", desc, layout, dtype, dimNb, dimSize,
                       dimStride);
}

mluOpStatus_t mluOpGetTensorDescriptorEx_v2(const mluOpTensorDescriptor_t desc,
                                            mluOpTensorLayout_t* layout, mluOpDataType_t* dtype,
                                            int* dimNb, int64_t dimSize[], int64_t dimStride[]) {
  return GetShape<int64_t>("mluOpGetTensorDescriptorEx_v2", desc, layout, dtype, dimNb, dimSize,
                           dimStride);
}

size_t mluOpGetTensorElementNum(const mluOpTensorDescriptor_t desc) {
  size_t count = 0;
  ApiCall("mluOpGetTensorElementNum", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    count = static_cast<size_t>(found->shape.element_count);
    return {};
  });
  return count;
}

mluOpStatus_t mluOpSetTensorDescriptorOnchipDataType(mluOpTensorDescriptor_t desc,
                                                     mluOpDataType_t onchip_dtype) {
  return ApiCall("mluOpSetTensorDescriptorOnchipDataType", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    DETOPS_RETURN_IF_ERROR(CheckKnownDataType("onchip_dtype", onchip_dtype));
    found->onchip_dtype = onchip_dtype;
    return {};
  });
}

mluOpStatus_t mluOpGetTensorDescriptorOnchipDataType(const mluOpTensorDescriptor_t desc,
                                                     mluOpDataType_t* onchip_dtype) {
  return GetField("mluOpGetTensorDescriptorOnchipDataType", desc, &TensorDescriptor::onchip_dtype,
                  onchip_dtype);
}

mluOpStatus_t mluOpSetTensorDescriptorPointerMode(mluOpTensorDescriptor_t desc,
                                                  mluOpPointerMode_t pointer_mode) {
  return ApiCall("mluOpSetTensorDescriptorPointerMode", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    DETOPS_RETURN_IF_ERROR(CheckEnum("pointer_mode", pointer_mode, MLUOP_POINTER_MODE_HOST,
                                     MLUOP_POINTER_MODE_DEVICE));
    found->pointer_mode = pointer_mode;
    return {};
  });
}

mluOpStatus_t mluOpGetTensorDescriptorPointerMode(const mluOpTensorDescriptor_t desc,
                                                  mluOpPointerMode_t* pointer_mode) {
  return GetField("mluOpGetTensorDescriptorPointerMode", desc, &TensorDescriptor::pointer_mode,
                  pointer_mode);
}

mluOpStatus_t mluOpSetTensorDescriptorPosition(mluOpTensorDescriptor_t desc, int position) {
  return SetField("mluOpSetTensorDescriptorPosition", desc, &TensorDescriptor::position, position);
}

mluOpStatus_t mluOpGetTensorDescriptorPosition(const mluOpTensorDescriptor_t desc, int* position) {
  return GetField("mluOpGetTensorDescriptorPosition", desc, &TensorDescriptor::position, position);
}

mluOpStatus_t mluOpSetTensorDescriptorPositionAndScale(mluOpTensorDescriptor_t desc, int position,
                                                       float scale) {
  return ApiCall("mluOpSetTensorDescriptorPositionAndScale", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    found->position = position;
    found->scale = scale;
    return {};
  });
}

mluOpStatus_t mluOpGetTensorDescriptorPositionAndScale(const mluOpTensorDescriptor_t desc,
                                                       int* position, float* scale) {
  return ApiCall("mluOpGetTensorDescriptorPositionAndScale", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    WriteIfWanted(found->position, position);
    WriteIfWanted(found->scale, scale);
    return {};
  });
}

mluOpStatus_t mluOpSetTensorDescriptorPositionScaleAndOffset(mluOpTensorDescriptor_t desc,
                                                             int position, float scale,
                                                             int offset) {
  return ApiCall("mluOpSetTensorDescriptorPositionScaleAndOffset", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    found->position = position;
    found->scale = scale;
    found->offset = offset;
    return {};
  });
}

mluOpStatus_t mluOpGetTensorDescriptorPositionScaleAndOffset(const mluOpTensorDescriptor_t desc,
                                                             int* position, float* scale,
                                                             int* offset) {
  return ApiCall("mluOpGetTensorDescriptorPositionScaleAndOffset", [&]() -> Status {
    TensorDescriptor* found = nullptr;
    DETOPS_RETURN_IF_ERROR(FindLive("desc", desc, found));
    WriteIfWanted(found->position, position);
    WriteIfWanted(found->scale, scale);
    WriteIfWanted(found->offset, offset);
    return {};
  });
}

mluOpStatus_t mluOpCreateGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                const int desc_num) {
  return ApiCall("mluOpCreateGroupTensorDescriptors", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckGroup(group_desc, desc_num));
    NewDescriptors created;
    created.values.reserve(desc_num);
    for (int i = 0; i < desc_num; ++i) {
      created.values.push_back(detops::Register(std::make_unique<TensorDescriptor>()));
    }
    for (int i = 0; i < desc_num; ++i) {
      *group_desc[i] = created.values[i];
    }
    created.values.clear();
    return {};
  });
}

mluOpStatus_t mluOpDestroyGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                 const int desc_num) {
  return ApiCall("mluOpDestroyGroupTensorDescriptors", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckGroupIsLive(group_desc, desc_num));
    Status status;
    for (int i = 0; i < desc_num; ++i) {
      std::unique_ptr<TensorDescriptor> destroyed;
      const Status one = detops::Unregister("desc", *group_desc[i], destroyed);
      if (!one.ok() && status.ok()) {
        status = BadParam("*group_desc[{}] is in the group twice; it was destroyed once", i);
      }
    }
    return status;
  });
}

mluOpStatus_t mluOpSetGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                             const mluOpTensorLayout_t group_layout[],
                                             const mluOpDataType_t group_dtype[],
                                             const int group_dimNb[], const int group_dimSize[],
                                             const int desc_num) {
  return ApiCall("mluOpSetGroupTensorDescriptors", [&]() -> Status {
    DETOPS_RETURN_IF_ERROR(CheckGroupIsLive(group_desc, desc_num));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("group_layout", group_layout));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("group_dtype", group_dtype));
    DETOPS_RETURN_IF_ERROR(CheckNotNull("group_dimNb", group_dimNb));
    std::vector<TensorShape> shapes(desc_num);
    const int* dims = group_dimSize;
    for (int i = 0; i < desc_num; ++i) {
      const Status status =
          ReadShape(shapes[i], group_layout[i], group_dtype[i], group_dimNb[i], dims);
      if (!status.ok()) {
        return {status.code(), fmt::format("tensor {} of the group: {}", i, status.message())};
      }
      dims += group_dimNb[i];
    }
    for (int i = 0; i < desc_num; ++i) {
      detops::Find<TensorDescriptor>(*group_desc[i])->shape = shapes[i];
    }
    return {};
  });
}
