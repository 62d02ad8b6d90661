/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

#include "tests/compatibility/psroipool_calls.h"

#if __STDC_VERSION__ != 199901L
#error "not compiled as C99"
#endif

/* A macro of a user that passes arguments on. */
#define RETURN_STATUS(call) return (call)

/* Users may declare the function again. */
mluOpStatus_t mluOpPsRoiPoolForward(mluOpHandle_t handle, int pooled_height, int pooled_width,
                                    float spatial_scale, int group_size, int output_dim,
                                    mluOpTensorDescriptor_t input_desc, const void* input,
                                    mluOpTensorDescriptor_t rois_desc, const void* rois,
                                    mluOpTensorDescriptor_t output_desc, void* output,
                                    mluOpTensorDescriptor_t mapping_channel_desc,
                                    void* mapping_channel);

mluOpStatus_t CallWith14ArgumentsInC(const PsRoiPoolArguments* a) {
  RETURN_STATUS(mluOpPsRoiPoolForward(a->handle, a->group_size, a->group_size, 1.0f, a->group_size,
                                      a->output_dim, a->input_desc, a->input, a->rois_desc, a->rois,
                                      a->output_desc, a->output, a->mapping_desc, a->mapping));
}

mluOpStatus_t CallWith16ArgumentsInC(const PsRoiPoolArguments* a) {
  RETURN_STATUS(mluOpPsRoiPoolForward(a->handle, a->group_size, a->group_size, 1.0f, a->group_size,
                                      a->output_dim, a->input_desc, a->input, a->rois_desc, a->rois,
                                      NULL, 0, a->output_desc, a->output, a->mapping_desc,
                                      a->mapping));
}

mluOpStatus_t CallThroughPointerInC(const PsRoiPoolArguments* a) {
  mluOpStatus_t (*function)(mluOpHandle_t, int, int, float, int, int, mluOpTensorDescriptor_t,
                            const void*, mluOpTensorDescriptor_t, const void*,
                            mluOpTensorDescriptor_t, void*, mluOpTensorDescriptor_t, void*) =
      &mluOpPsRoiPoolForward;
  return function(a->handle, a->group_size, a->group_size, 1.0f, a->group_size, a->output_dim,
                  a->input_desc, a->input, a->rois_desc, a->rois, a->output_desc, a->output,
                  a->mapping_desc, a->mapping);
}
