/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* Suppresses duplicate detections of ships in a harbor (quadrilateral NMS) on a queue, with the
 * MLU-OPS API.
 *
 *   cc poly_nms.c -o poly_nms $(pkg-config --cflags --libs detops) && ./poly_nms
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cnrt.h"
#include "mlu_op.h"

#define DETECTIONS 5

/* Exits if a call failed. The library has already logged the reason. */
static void check(mluOpStatus_t status) {
  if (status != MLUOP_STATUS_SUCCESS) {
    exit(1);
  }
}

/* Creates a tensor descriptor. */
static mluOpTensorDescriptor_t describe(mluOpDataType_t type, int rank, const int* dims) {
  mluOpTensorDescriptor_t desc;
  check(mluOpCreateTensorDescriptor(&desc));
  check(mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY, type, rank, dims));
  return desc;
}

int main(void) {
  /* Four corners and a score per detection. Three ships lie side by side at the quay; the first and
   * the third were detected twice. */
  static const float detections[DETECTIONS][9] = {
      {10, 40, 90, 10, 97, 29, 17, 59, 0.81f},    /* first ship */
      {13, 42, 92, 12, 100, 32, 21, 62, 0.94f},   /* first ship again, with a higher score */
      {20, 66, 100, 36, 107, 55, 27, 85, 0.90f},  /* second ship, close to the first */
      {30, 92, 110, 62, 117, 81, 37, 111, 0.88f}, /* third ship */
      {37, 89, 117, 59, 124, 78, 44, 108, 0.52f}, /* third ship again, shifted along the quay */
  };
  int32_t kept[DETECTIONS];
  int32_t count;

  cnrtQueue_t queue;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  check(mluOpSetQueue(handle, queue));

  const int boxes_dims[] = {DETECTIONS, 9};
  const int output_dims[] = {DETECTIONS};
  mluOpTensorDescriptor_t boxes_desc = describe(MLUOP_DTYPE_FLOAT, 2, boxes_dims);
  mluOpTensorDescriptor_t output_desc = describe(MLUOP_DTYPE_INT32, 1, output_dims);

  /* The caller provides the workspace. */
  size_t workspace_size;
  check(mluOpGetPolyNmsWorkspaceSize(handle, boxes_desc, &workspace_size));

  void *device_boxes, *device_output, *device_count, *workspace;
  CNRT_CHECK(cnrtMalloc(&device_boxes, sizeof(detections)));
  CNRT_CHECK(cnrtMalloc(&device_output, sizeof(kept)));
  CNRT_CHECK(cnrtMalloc(&device_count, sizeof(count)));
  CNRT_CHECK(cnrtMalloc(&workspace, workspace_size));
  CNRT_CHECK(
      cnrtMemcpyAsync(device_boxes, detections, sizeof(detections), queue, cnrtMemcpyHostToDev));

  const float iou_threshold = 0.3f;
  check(mluOpPolyNms(handle, boxes_desc, device_boxes, iou_threshold, workspace, workspace_size,
                     output_desc, device_output, device_count));
  CNRT_CHECK(cnrtMemcpyAsync(&count, device_count, sizeof(count), queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtQueueSync(queue));
  /* Only the first `count` entries are written. */
  CNRT_CHECK(cnrtMemcpy(kept, device_output, count * sizeof(kept[0]), cnrtMemcpyDevToHost));

  printf("%d of %d detections are kept:\n", count, DETECTIONS);
  for (int i = 0; i < count; ++i) {
    printf("  box %d, score %.2f\n", kept[i], detections[kept[i]][8]);
  }
  const int wrong = count != 3 || kept[0] != 1 || kept[1] != 2 || kept[2] != 3;

  check(mluOpDestroyTensorDescriptor(boxes_desc));
  check(mluOpDestroyTensorDescriptor(output_desc));
  CNRT_CHECK(cnrtFree(device_boxes));
  CNRT_CHECK(cnrtFree(device_output));
  CNRT_CHECK(cnrtFree(device_count));
  CNRT_CHECK(cnrtFree(workspace));
  check(mluOpDestroy(handle));
  CNRT_CHECK(cnrtQueueDestroy(queue));
  return wrong;
}
