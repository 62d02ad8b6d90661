/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* Scores RoIs from feature maps of an object's four parts, with position-sensitive RoI average
 * pooling (R-FCN) on a queue and the MLU-OPS API.
 *
 *   cc psroipool_forward.c -o psroipool_forward $(pkg-config --cflags --libs detops)
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cnrt.h"
#include "mlu_op.h"

enum { HEIGHT = 6, WIDTH = 8, GROUP = 2, CLASSES = 2, ROIS = 3 };

/* Exits if a call failed. The library has already logged the reason. */
static void check(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) {
    exit(1);
  }
}

/* Creates a tensor descriptor. */
static mluOpTensorDescriptor_t describe(mluOpTensorLayout_t layout, mluOpDataType_t type, int rank,
                                        const int* dims) {
  mluOpTensorDescriptor_t desc;
  check(mluOpCreateTensorDescriptor(&desc));
  check(mluOpSetTensorDescriptor(desc, layout, type, rank, dims));
  return desc;
}

int main(void) {
  /* The object covers rows 1 to 4 and columns 2 to 5. Class 1 is the object: each of its four
   * channels is 1 where one part of the object is (top left, top right, bottom left, bottom right)
   * and 0 elsewhere. Class 0 is the background, with 0 and 1 swapped. */
  static float parts[HEIGHT][WIDTH][CLASSES][GROUP][GROUP];
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < WIDTH; ++x) {
      for (int ph = 0; ph < GROUP; ++ph) {
        for (int pw = 0; pw < GROUP; ++pw) {
          const int top = 1 + 2 * ph;
          const int left = 2 + 2 * pw;
          const int is_part = y >= top && y < top + 2 && x >= left && x < left + 2;
          parts[y][x][1][ph][pw] = (float)is_part;
          parts[y][x][0][ph][pw] = (float)!is_part;
        }
      }
    }
  }
  /* In image coordinates. One pixel of the feature map covers 4 x 4 pixels of the image. */
  static const float rois[ROIS][5] = {
      {0, 8, 4, 23, 19},   /* batch index 0; exactly around the object */
      {0, 12, 4, 27, 19},  /* one feature map pixel too far to the right */
      {0, 40, 40, 55, 55}, /* outside the map: its bins are empty, their means 0 */
  };
  float means[ROIS][GROUP][GROUP][CLASSES];
  int32_t channels[ROIS][GROUP][GROUP][CLASSES];

  cnrtQueue_t queue;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  check(mluOpSetQueue(handle, queue));

  const int input_dims[] = {1, HEIGHT, WIDTH, CLASSES * GROUP * GROUP};
  const int rois_dims[] = {ROIS, 5};
  const int result_dims[] = {ROIS, GROUP, GROUP, CLASSES};
  mluOpTensorDescriptor_t input_desc =
      describe(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, input_dims);
  mluOpTensorDescriptor_t rois_desc = describe(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, rois_dims);
  mluOpTensorDescriptor_t output_desc =
      describe(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, result_dims);
  mluOpTensorDescriptor_t mapping_desc =
      describe(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, 4, result_dims);

  void *device_input, *device_rois, *device_output, *device_mapping;
  CNRT_CHECK(cnrtMalloc(&device_input, sizeof(parts)));
  CNRT_CHECK(cnrtMalloc(&device_rois, sizeof(rois)));
  CNRT_CHECK(cnrtMalloc(&device_output, sizeof(means)));
  CNRT_CHECK(cnrtMalloc(&device_mapping, sizeof(channels)));
  CNRT_CHECK(cnrtMemcpyAsync(device_input, parts, sizeof(parts), queue, cnrtMemcpyHostToDev));
  CNRT_CHECK(cnrtMemcpyAsync(device_rois, rois, sizeof(rois), queue, cnrtMemcpyHostToDev));

  const float spatial_scale = 0.25f;
  check(mluOpPsRoiPoolForward(handle, GROUP, GROUP, spatial_scale, GROUP, CLASSES, input_desc,
                              device_input, rois_desc, device_rois, output_desc, device_output,
                              mapping_desc, device_mapping));
  /* Descriptors are no longer needed once the call has returned. */
  check(mluOpDestroyTensorDescriptor(input_desc));
  check(mluOpDestroyTensorDescriptor(rois_desc));
  check(mluOpDestroyTensorDescriptor(output_desc));
  check(mluOpDestroyTensorDescriptor(mapping_desc));

  CNRT_CHECK(cnrtMemcpyAsync(means, device_output, sizeof(means), queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(
      cnrtMemcpyAsync(channels, device_mapping, sizeof(channels), queue, cnrtMemcpyDevToHost));
  /* If an RoI had an invalid batch index, this call would return the error. */
  CNRT_CHECK(cnrtQueueSync(queue));

  /* The score of a class is the mean of its four parts. */
  float scores[ROIS][CLASSES] = {{0}};
  int wrong = 0;
  for (int roi = 0; roi < ROIS; ++roi) {
    for (int ph = 0; ph < GROUP; ++ph) {
      for (int pw = 0; pw < GROUP; ++pw) {
        for (int d = 0; d < CLASSES; ++d) {
          scores[roi][d] += means[roi][ph][pw][d] / (GROUP * GROUP);
          wrong |= channels[roi][ph][pw][d] != (d * GROUP + ph) * GROUP + pw;
        }
      }
    }
    printf("roi %d: background %.2f, object %.2f\n", roi, scores[roi][0], scores[roi][1]);
  }
  static const float expected[ROIS][CLASSES] = {{0, 1}, {0.5f, 0.5f}, {0, 0}};
  wrong |= memcmp(scores, expected, sizeof(scores)) != 0;

  CNRT_CHECK(cnrtFree(device_input));
  CNRT_CHECK(cnrtFree(device_rois));
  CNRT_CHECK(cnrtFree(device_output));
  CNRT_CHECK(cnrtFree(device_mapping));
  check(mluOpDestroy(handle));
  CNRT_CHECK(cnrtQueueDestroy(queue));
  return wrong;
}
