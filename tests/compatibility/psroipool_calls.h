/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* The calls of mluOpPsRoiPoolForward that must compile in C99: psroipool_calls.c defines them. */

#ifndef DETOPS_TESTS_COMPATIBILITY_PSROIPOOL_CALLS_H_
#define DETOPS_TESTS_COMPATIBILITY_PSROIPOOL_CALLS_H_

#include "mlu_op.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The arguments that the calls have in common. */
typedef struct {
  mluOpHandle_t handle;
  int group_size;
  int output_dim;
  mluOpTensorDescriptor_t input_desc;
  const void* input;
  mluOpTensorDescriptor_t rois_desc;
  const void* rois;
  mluOpTensorDescriptor_t output_desc;
  void* output;
  mluOpTensorDescriptor_t mapping_desc;
  void* mapping;
} PsRoiPoolArguments;

/* The form of released MLU-OPS versions. */
mluOpStatus_t CallWith14ArgumentsInC(const PsRoiPoolArguments* a);
/* The form of the design document. */
mluOpStatus_t CallWith16ArgumentsInC(const PsRoiPoolArguments* a);
/* Calls the function with 14 arguments through its address. */
mluOpStatus_t CallThroughPointerInC(const PsRoiPoolArguments* a);

#if defined(__cplusplus)
}
#endif

#endif /* DETOPS_TESTS_COMPATIBILITY_PSROIPOOL_CALLS_H_ */
