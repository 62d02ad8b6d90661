/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* Copies data to the device and back on a queue, and measures the time with notifiers.
 *
 *   cc queue.c -o queue $(pkg-config --cflags --libs detops) && ./queue
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

int main(void) {
  enum { BOXES = 1000, COORDINATES = 4 };
  static float boxes[BOXES][COORDINATES];
  static float returned[BOXES][COORDINATES];
  for (int i = 0; i < BOXES; ++i) {
    boxes[i][0] = boxes[i][1] = (float)i;
    boxes[i][2] = boxes[i][3] = (float)i + 10.0f;
  }

  cnrtQueue_t queue;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  check(mluOpSetQueue(handle, queue));

  const int dims[] = {BOXES, COORDINATES};
  mluOpTensorDescriptor_t desc;
  check(mluOpCreateTensorDescriptor(&desc));
  check(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, dims));
  const size_t bytes = mluOpGetTensorElementNum(desc) * sizeof(float);

  void* device_boxes;
  CNRT_CHECK(cnrtMalloc(&device_boxes, bytes));
  cnrtNotifier_t start, end;
  CNRT_CHECK(cnrtNotifierCreate(&start));
  CNRT_CHECK(cnrtNotifierCreate(&end));

  CNRT_CHECK(cnrtPlaceNotifier(start, queue));
  CNRT_CHECK(cnrtMemcpyAsync(device_boxes, boxes, bytes, queue, cnrtMemcpyHostToDev));
  CNRT_CHECK(cnrtMemcpyAsync(returned, device_boxes, bytes, queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtPlaceNotifier(end, queue));
  CNRT_CHECK(cnrtQueueSync(queue));

  float us;
  CNRT_CHECK(cnrtNotifierDuration(start, end, &us));
  printf("%zu bytes to the device and back in %.1f us\n", bytes, us);
  const int wrong = returned[BOXES - 1][3] != boxes[BOXES - 1][3];

  CNRT_CHECK(cnrtNotifierDestroy(start));
  CNRT_CHECK(cnrtNotifierDestroy(end));
  CNRT_CHECK(cnrtFree(device_boxes));
  check(mluOpDestroyTensorDescriptor(desc));
  check(mluOpDestroy(handle));
  CNRT_CHECK(cnrtQueueDestroy(queue));
  return wrong;
}
