/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* Computes the IoU of detections and ground truth boxes on a queue, with the MLU-OPS API.
 *
 *   cc bbox_overlaps.c -o bbox_overlaps $(pkg-config --cflags --libs detops) && ./bbox_overlaps
 */

#include <stdio.h>
#include <stdlib.h>

#include "cnrt.h"
#include "mlu_op.h"

/* Exits if a call failed. The library has already logged the reason. */
static void check(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) {
    exit(1);
  }
}

/* Creates the descriptor of a float matrix. */
static mluOpTensorDescriptor_t describe(int rows, int columns) {
  const int dims[] = {rows, columns};
  mluOpTensorDescriptor_t desc;
  check(mluOpCreateTensorDescriptor(&desc));
  check(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, dims));
  return desc;
}

int main(void) {
  static const float detections[3][4] = {{0, 0, 10, 10}, {10, 10, 20, 20}, {32, 32, 38, 42}};
  static const float truth[3][4] = {{0, 0, 10, 20}, {0, 10, 10, 19}, {10, 10, 20, 20}};
  float ious[3][3];

  cnrtQueue_t queue;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  check(mluOpSetQueue(handle, queue));

  void *device_detections, *device_truth, *device_ious;
  CNRT_CHECK(cnrtMalloc(&device_detections, sizeof(detections)));
  CNRT_CHECK(cnrtMalloc(&device_truth, sizeof(truth)));
  CNRT_CHECK(cnrtMalloc(&device_ious, sizeof(ious)));
  CNRT_CHECK(cnrtMemcpyAsync(device_detections, detections, sizeof(detections), queue,
                             cnrtMemcpyHostToDev));
  CNRT_CHECK(cnrtMemcpyAsync(device_truth, truth, sizeof(truth), queue, cnrtMemcpyHostToDev));

  mluOpTensorDescriptor_t boxes_desc = describe(3, 4);
  mluOpTensorDescriptor_t ious_desc = describe(3, 3);
  const int mode = 0; /* IoU */
  const int offset = 0;
  check(mluOpBboxOverlaps(handle, mode, false, offset, boxes_desc, device_detections, boxes_desc,
                          device_truth, ious_desc, device_ious));
  CNRT_CHECK(cnrtMemcpyAsync(ious, device_ious, sizeof(ious), queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtQueueSync(queue));

  for (int i = 0; i < 3; ++i) {
    printf("%.4f %.4f %.4f\n", ious[i][0], ious[i][1], ious[i][2]);
  }
  const int wrong = ious[0][0] != 0.5f || ious[1][2] != 1.0f;

  check(mluOpDestroyTensorDescriptor(boxes_desc));
  check(mluOpDestroyTensorDescriptor(ious_desc));
  CNRT_CHECK(cnrtFree(device_detections));
  CNRT_CHECK(cnrtFree(device_truth));
  CNRT_CHECK(cnrtFree(device_ious));
  check(mluOpDestroy(handle));
  CNRT_CHECK(cnrtQueueDestroy(queue));
  return wrong;
}
