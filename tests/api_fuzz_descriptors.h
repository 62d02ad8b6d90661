// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Random calls of the functions for tensor descriptors. What a setter accepts must be returned by
// the getters; a call that fails must leave the descriptor unchanged.

#ifndef DETOPS_TESTS_API_FUZZ_DESCRIPTORS_H_
#define DETOPS_TESTS_API_FUZZ_DESCRIPTORS_H_

#include "measure/fuzz_bytes.h"
#include "mlu_op.h"

namespace detops {

// Sets shape, type and layout, or a part of them.
void SetDescriptor(FuzzBytes& bytes, mluOpTensorDescriptor_t desc);

// Sets position, scale and offset.
void UseFixedPoint(FuzzBytes& bytes, mluOpTensorDescriptor_t desc);

// Sets the on-chip type and the pointer mode.
void UseDescriptorModes(FuzzBytes& bytes, mluOpTensorDescriptor_t desc);

// Creates, sets and destroys a group of descriptors: all of them, or none if one is wrong.
void UseGroup(FuzzBytes& bytes);

}  // namespace detops

#endif  // DETOPS_TESTS_API_FUZZ_DESCRIPTORS_H_
