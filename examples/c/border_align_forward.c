/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* Applies BorderAlign (BorderDet) to two boxes on a queue, with the MLU-OPS API.
 *
 *   cc border_align_forward.c -o border_align_forward $(pkg-config --cflags --libs detops)
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cnrt.h"
#include "mlu_op.h"

enum { HEIGHT = 4, WIDTH = 6, BORDERS = 4, BOXES = 2, POOL_SIZE = 2 };

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
  /* One channel per border. The features are 10 y + x, except for the right border, where they are
   * x - 10 y and thus increase toward the top. */
  static float features[HEIGHT][WIDTH][BORDERS];
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < WIDTH; ++x) {
      for (int border = 0; border < BORDERS; ++border) {
        features[y][x][border] = (float)(border == 3 ? x - 10 * y : 10 * y + x);
      }
    }
  }
  static const float boxes[BOXES][4] = {
      {1, 0, 4, 3},         /* corners at pixels */
      {0.5f, 0.5f, 9, 1.5f} /* corners between pixels, the right one outside the map */
  };
  static const char* const names[BORDERS] = {"top", "left", "bottom", "right"};
  float values[BOXES][BORDERS];
  int32_t samples[BOXES][BORDERS];

  cnrtQueue_t queue;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  check(mluOpSetQueue(handle, queue));

  const int input_dims[] = {1, HEIGHT, WIDTH, BORDERS};
  const int boxes_dims[] = {1, BOXES, 4};
  const int result_dims[] = {1, BOXES, BORDERS, 1};
  mluOpTensorDescriptor_t input_desc =
      describe(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, input_dims);
  mluOpTensorDescriptor_t boxes_desc =
      describe(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 3, boxes_dims);
  mluOpTensorDescriptor_t output_desc =
      describe(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_FLOAT, 4, result_dims);
  mluOpTensorDescriptor_t argmax_desc =
      describe(MLUOP_LAYOUT_NHWC, MLUOP_DTYPE_INT32, 4, result_dims);

  void *device_input, *device_boxes, *device_output, *device_argmax;
  CNRT_CHECK(cnrtMalloc(&device_input, sizeof(features)));
  CNRT_CHECK(cnrtMalloc(&device_boxes, sizeof(boxes)));
  CNRT_CHECK(cnrtMalloc(&device_output, sizeof(values)));
  CNRT_CHECK(cnrtMalloc(&device_argmax, sizeof(samples)));
  CNRT_CHECK(cnrtMemcpyAsync(device_input, features, sizeof(features), queue, cnrtMemcpyHostToDev));
  CNRT_CHECK(cnrtMemcpyAsync(device_boxes, boxes, sizeof(boxes), queue, cnrtMemcpyHostToDev));

  check(mluOpBorderAlignForward(handle, input_desc, device_input, boxes_desc, device_boxes,
                                POOL_SIZE, output_desc, device_output, argmax_desc, device_argmax));
  /* Descriptors are no longer needed once the call has returned. */
  check(mluOpDestroyTensorDescriptor(input_desc));
  check(mluOpDestroyTensorDescriptor(boxes_desc));
  check(mluOpDestroyTensorDescriptor(output_desc));
  check(mluOpDestroyTensorDescriptor(argmax_desc));

  CNRT_CHECK(cnrtMemcpyAsync(values, device_output, sizeof(values), queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtMemcpyAsync(samples, device_argmax, sizeof(samples), queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtQueueSync(queue));

  for (int box = 0; box < BOXES; ++box) {
    printf("box %d:\n", box);
    for (int border = 0; border < BORDERS; ++border) {
      printf("  %-6s  %6.2f at sample %d\n", names[border], values[box][border],
             samples[box][border]);
    }
  }
  /* The samples of the second box that lie outside the map are 0. */
  static const float expected_values[BOXES][BORDERS] = {{4, 31, 34, 4}, {9.75f, 15.5f, 19.75f, 0}};
  static const int32_t expected_samples[BOXES][BORDERS] = {{2, 2, 0, 2}, {1, 2, 1, 0}};
  const int wrong = memcmp(values, expected_values, sizeof(values)) != 0 ||
                    memcmp(samples, expected_samples, sizeof(samples)) != 0;

  CNRT_CHECK(cnrtFree(device_input));
  CNRT_CHECK(cnrtFree(device_boxes));
  CNRT_CHECK(cnrtFree(device_output));
  CNRT_CHECK(cnrtFree(device_argmax));
  check(mluOpDestroy(handle));
  CNRT_CHECK(cnrtQueueDestroy(queue));
  return wrong;
}
