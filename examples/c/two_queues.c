/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* Copies batches of boxes on one queue while another queue compares them. Notifiers order the two
 * queues, and a function of the program reads each result as soon as it is there.
 *
 *   cc two_queues.c -o two_queues $(pkg-config --cflags --libs detops) && ./two_queues
 */

#include <stdio.h>
#include <stdlib.h>

#include "cnrt.h"
#include "mlu_op.h"

enum { BATCHES = 4, BOXES = 100, COORDINATES = 4 };

typedef struct {
  float boxes[BOXES][COORDINATES]; /* on the host */
  void* device_boxes;
  void* device_ious;
  int neighbors; /* pairs that overlap by more than a third */
} Batch;

/* Exits if a call failed. The library has already logged the reason. */
static void check(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) {
    exit(1);
  }
}

static mluOpTensorDescriptor_t describe(int rows, int columns) {
  const int dims[] = {rows, columns};
  mluOpTensorDescriptor_t desc;
  check(mluOpCreateTensorDescriptor(&desc));
  check(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, dims));
  return desc;
}

/* Makes a row of boxes, each 10 wide, `step` apart. */
static void make_boxes(Batch* batch, float step) {
  for (int i = 0; i < BOXES; ++i) {
    const float box[COORDINATES] = {step * (float)i, 0, step * (float)i + 10, 10};
    for (int k = 0; k < COORDINATES; ++k) {
      batch->boxes[i][k] = box[k];
    }
  }
}

/* Runs on the queue, after the operator. Device memory is host memory, so it can be read here. It
 * must not wait for a queue. */
static void count_neighbors(void* argument) {
  Batch* batch = (Batch*)argument;
  const float* ious = (const float*)batch->device_ious;
  for (int i = 0; i < BOXES; ++i) {
    for (int j = i + 1; j < BOXES; ++j) {
      batch->neighbors += ious[i * BOXES + j] > 1.0f / 3;
    }
  }
}

int main(void) {
  static Batch batches[BATCHES];
  const size_t ious_bytes = sizeof(float) * BOXES * BOXES;

  cnrtQueue_t copying, computing;
  CNRT_CHECK(cnrtQueueCreate(&copying));
  CNRT_CHECK(cnrtQueueCreate(&computing));
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  check(mluOpSetQueue(handle, computing));
  mluOpTensorDescriptor_t boxes_desc = describe(BOXES, COORDINATES);
  mluOpTensorDescriptor_t ious_desc = describe(BOXES, BOXES);
  cnrtNotifier_t start, end, copied;
  CNRT_CHECK(cnrtNotifierCreate(&start));
  CNRT_CHECK(cnrtNotifierCreate(&end));
  CNRT_CHECK(cnrtNotifierCreateWithFlags(&copied, CNRT_NOTIFIER_DISABLE_TIMING));

  CNRT_CHECK(cnrtPlaceNotifier(start, copying));
  for (int i = 0; i < BATCHES; ++i) {
    Batch* batch = &batches[i];
    make_boxes(batch, (float)(2 + 2 * i));
    CNRT_CHECK(cnrtMalloc(&batch->device_boxes, sizeof(batch->boxes)));
    CNRT_CHECK(cnrtMalloc(&batch->device_ious, ious_bytes));

    CNRT_CHECK(cnrtMemcpyAsync(batch->device_boxes, batch->boxes, sizeof(batch->boxes), copying,
                               cnrtMemcpyHostToDev));
    CNRT_CHECK(cnrtPlaceNotifier(copied, copying));
    /* What is submitted to `computing` from now on runs after this copy. The notifier may be placed
     * again for the next batch: the placement of this moment counts. */
    CNRT_CHECK(cnrtQueueWaitNotifier(copied, computing, CNRT_NOTIFIER_WAIT_DEFAULT));
    CNRT_CHECK(cnrtMemsetAsync(batch->device_ious, 0, ious_bytes, computing));
    check(mluOpBboxOverlaps(handle, 0, false, 0, boxes_desc, batch->device_boxes, boxes_desc,
                            batch->device_boxes, ious_desc, batch->device_ious));
    CNRT_CHECK(cnrtInvokeHostFunc(computing, count_neighbors, batch));
  }
  CNRT_CHECK(cnrtPlaceNotifier(end, computing));
  CNRT_CHECK(cnrtQueueSync(computing));

  /* Boxes that are d apart overlap by (10 - d) / (10 + d), which is above a third if d is below 5:
   * neighbors that are one or two steps of 2, or one step of 4, apart. */
  static const int expected[BATCHES] = {99 + 98, 99, 0, 0};
  int wrong = 0;
  for (int i = 0; i < BATCHES; ++i) {
    printf("batch %d: %d pairs of neighbors\n", i, batches[i].neighbors);
    wrong |= batches[i].neighbors != expected[i];
    CNRT_CHECK(cnrtFree(batches[i].device_boxes));
    CNRT_CHECK(cnrtFree(batches[i].device_ious));
  }
  float ms;
  CNRT_CHECK(cnrtNotifierElapsedTime(start, end, &ms));
  printf("%.3f ms from the first copy to the last result\n", ms);

  CNRT_CHECK(cnrtNotifierDestroy(start));
  CNRT_CHECK(cnrtNotifierDestroy(end));
  CNRT_CHECK(cnrtNotifierDestroy(copied));
  check(mluOpDestroyTensorDescriptor(boxes_desc));
  check(mluOpDestroyTensorDescriptor(ious_desc));
  check(mluOpDestroy(handle));
  CNRT_CHECK(cnrtQueueDestroy(copying));
  CNRT_CHECK(cnrtQueueDestroy(computing));
  return wrong;
}
