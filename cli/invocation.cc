// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/invocation.h"

#include <fmt/format.h>

#include <algorithm>

namespace detops::cli {
namespace {

void Require(mluOpStatus_t status, const Tensor& tensor) {
  if (status != MLUOP_STATUS_SUCCESS) {
    throw UserError(
        fmt::format("tensor {} '{}': {}", tensor.ToString(), tensor.id, detopsGetLastError()));
  }
}

void Describe(const Tensor& tensor, std::vector<mluOpTensorDescriptor_t>& descriptors) {
  mluOpTensorDescriptor_t descriptor = nullptr;
  Require(mluOpCreateTensorDescriptor(&descriptor), tensor);
  descriptors.push_back(descriptor);
  const int rank = static_cast<int>(std::min<size_t>(tensor.dims.size(), MLUOP_DIM_MAX + 1));
  if (tensor.strides.empty()) {
    Require(mluOpSetTensorDescriptor_v2(descriptor, tensor.layout, tensor.dtype, rank,
                                        tensor.dims.data()),
            tensor);
  } else {
    if (tensor.strides.size() != tensor.dims.size()) {
      throw UserError(fmt::format("tensor {} '{}' has {} strides; there must be one per dimension",
                                  tensor.ToString(), tensor.id, tensor.strides.size()));
    }
    Require(mluOpSetTensorDescriptorEx_v2(descriptor, tensor.layout, tensor.dtype, rank,
                                          tensor.dims.data(), tensor.strides.data()),
            tensor);
  }
}

}  // namespace

Invocation::Invocation(mluOpHandle_t handle, const Case& input) : handle_(handle), case_(input) {
  try {
    for (const Tensor& tensor : input.inputs) {
      Describe(tensor, inputs_);
    }
    for (const Tensor& tensor : input.outputs) {
      Describe(tensor, outputs_);
    }
  } catch (...) {
    DestroyDescriptors();
    throw;
  }
}

Invocation::~Invocation() { DestroyDescriptors(); }

void Invocation::DestroyDescriptors() {
  for (const std::vector<mluOpTensorDescriptor_t>* const descriptors : {&inputs_, &outputs_}) {
    for (const mluOpTensorDescriptor_t descriptor : *descriptors) {
      mluOpDestroyTensorDescriptor(descriptor);
    }
  }
}

void* Invocation::Workspace(size_t bytes) {
  if (workspace_.size() < bytes) {
    workspace_ = AlignedBuffer(bytes);
  }
  return workspace_.data();
}

TensorOperand::TensorOperand(const char* name, const Tensor& tensor)
    : name_(name), data_(tensor.values.data()) {
  shape_.layout = tensor.layout;
  shape_.dtype = tensor.dtype;
  const Status status =
      SetDimensions(shape_, static_cast<int>(tensor.dims.size()), tensor.dims.data());
  if (!status.ok()) {
    throw UserError(fmt::format("{}: {}", name, status.message()));
  }
  if (!tensor.strides.empty()) {
    std::copy(tensor.strides.begin(), tensor.strides.end(), shape_.strides.begin());
  }
}

}  // namespace detops::cli
