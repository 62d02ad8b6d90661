/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* How much regions look like an object, from maps of the object's four parts, on a queue, as a
 * program written for the accelerator does it.
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

/* Stops the program when a call failed. The library has logged why. */
static void check(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) {
    exit(1);
  }
}

static mluOpTensorDescriptor_t describe(mluOpTensorLayout_t layout, mluOpDataType_t type, int rank,
                                        const int* dims) {
  mluOpTensorDescriptor_t desc;
  check(mluOpCreateTensorDescriptor(&desc));
  check(mluOpSetTensorDescriptor(desc, layout, type, rank, dims));
  return desc;
}

int main(void) {
  /* The object covers the columns 2 to 5 of the rows 1 to 4. Class 1 is the object: each of its
   * four channels is 1 where the network saw that part of it, top left, top right, bottom left or
   * bottom right. Class 0 is the background: 1 where that part is not. */
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
  /* In the image, of which a pixel of the map is 4 x 4. */
  static const float rois[ROIS][5] = {
      {0, 8, 4, 23, 19},   /* of image 0, around the object */
      {0, 12, 4, 27, 19},  /* too far to the right, by a pixel of the map */
      {0, 40, 40, 55, 55}, /* outside of the map: its bins are empty, and their means 0 */
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

  /* No workspace is needed. */
  check(mluOpPsRoiPoolForward(handle, GROUP, GROUP, 0.25f, GROUP, CLASSES, input_desc, device_input,
                              rois_desc, device_rois, NULL, 0, output_desc, device_output,
                              mapping_desc, device_mapping));
  /* The call has read the descriptors. */
  check(mluOpDestroyTensorDescriptor(input_desc));
  check(mluOpDestroyTensorDescriptor(rois_desc));
  check(mluOpDestroyTensorDescriptor(output_desc));
  check(mluOpDestroyTensorDescriptor(mapping_desc));

  CNRT_CHECK(cnrtMemcpyAsync(means, device_output, sizeof(means), queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(
      cnrtMemcpyAsync(channels, device_mapping, sizeof(channels), queue, cnrtMemcpyDevToHost));
  /* Would also tell of a roi whose image does not exist. */
  CNRT_CHECK(cnrtQueueSync(queue));

  /* The parts vote. */
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
