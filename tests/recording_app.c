/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* An application that records its calls: recording_app MODE DIRECTORY [queue]. Calls every operator
 * of the C API once, bbox_overlaps twice: its second call is large. recording_test.sh replays them.
 * Without arguments, the environment decides what is recorded. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cnrt.h"
#include "mlu_op.h"

#define MANY 2000 /* boxes of the large call: more numbers than a case file holds */

/* Exits if a call failed. The library has already logged the reason. */
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

#define ARRAY(type, ...)                                                         \
  describe(MLUOP_LAYOUT_ARRAY, type, sizeof((int[]){__VA_ARGS__}) / sizeof(int), \
           (int[]){__VA_ARGS__})
#define IMAGE(type, ...) describe(MLUOP_LAYOUT_NHWC, type, 4, (int[]){__VA_ARGS__})

/* Waits for the operator, so that its arguments may go out of scope, and destroys descriptors. */
static void finish(mluOpHandle_t handle, mluOpTensorDescriptor_t* descriptors, size_t count) {
  cnrtQueue_t queue;
  check(mluOpGetQueue(handle, &queue));
  CNRT_CHECK(cnrtQueueSync(queue));
  for (size_t i = 0; i < count; ++i) {
    check(mluOpDestroyTensorDescriptor(descriptors[i]));
  }
}
#define FINISH(handle, ...)                                \
  finish(handle, (mluOpTensorDescriptor_t[]){__VA_ARGS__}, \
         sizeof((mluOpTensorDescriptor_t[]){__VA_ARGS__}) / sizeof(mluOpTensorDescriptor_t))

static void overlaps(mluOpHandle_t handle) {
  static float boxes[MANY][4] = {{0, 0, 2, 2}, {1, 1, 3, 3}};
  static float few[2][2], many[MANY][2];
  const unsigned int nan_with_payload = 0x7fc12345;
  memcpy(&boxes[1][3], &nan_with_payload, sizeof(float));
  mluOpTensorDescriptor_t two = ARRAY(MLUOP_DTYPE_FLOAT, 2, 4);
  mluOpTensorDescriptor_t all = ARRAY(MLUOP_DTYPE_FLOAT, MANY, 4);
  mluOpTensorDescriptor_t small = ARRAY(MLUOP_DTYPE_FLOAT, 2, 2);
  mluOpTensorDescriptor_t large = ARRAY(MLUOP_DTYPE_FLOAT, MANY, 2);
  check(mluOpBboxOverlaps(handle, 1, false, 1, two, boxes, two, boxes, small, few));
  check(mluOpBboxOverlaps(handle, 0, false, 0, all, boxes, two, boxes, large, many));
  FINISH(handle, two, all, small, large);
}

static void poly_nms(mluOpHandle_t handle) {
  static const float boxes[2][9] = {{0, 0, 4, 0, 4, 4, 0, 4, 0.9f}, {0, 0, 4, 0, 4, 3, 0, 3, 0.8f}};
  int output[2], result_num;
  size_t size;
  mluOpTensorDescriptor_t boxes_desc = ARRAY(MLUOP_DTYPE_FLOAT, 2, 9);
  mluOpTensorDescriptor_t output_desc = ARRAY(MLUOP_DTYPE_INT32, 2);
  check(mluOpGetPolyNmsWorkspaceSize(handle, boxes_desc, &size));
  void* workspace = malloc(size);
  check(mluOpPolyNms(handle, boxes_desc, boxes, 0.3f, workspace, size, output_desc, output,
                     &result_num));
  FINISH(handle, boxes_desc, output_desc);
  free(workspace);
}

static void generate_proposals(mluOpHandle_t handle) {
  static const float scores[2] = {0.9f, 0.1f};
  static const float deltas[8] = {0.1f, 0, 0, 0, 0, 0.2f, 0, 0};
  static const float image_size[2] = {40, 60};
  static const float anchors[8] = {0, 0, 20, 20, 10, 10, 50, 30};
  static const float variances[8] = {1, 1, 1, 1, 0.5f, 0.5f, 1, 1};
  float rois[3][4], probs[3];
  int counts[1], total;
  size_t size;
  mluOpTensorDescriptor_t scores_desc = ARRAY(MLUOP_DTYPE_FLOAT, 1, 1, 2, 1);
  mluOpTensorDescriptor_t deltas_desc = ARRAY(MLUOP_DTYPE_FLOAT, 1, 1, 2, 4);
  mluOpTensorDescriptor_t size_desc = ARRAY(MLUOP_DTYPE_FLOAT, 1, 2);
  mluOpTensorDescriptor_t anchors_desc = ARRAY(MLUOP_DTYPE_FLOAT, 1, 2, 1, 4);
  mluOpTensorDescriptor_t rois_desc = ARRAY(MLUOP_DTYPE_FLOAT, 3, 4);
  mluOpTensorDescriptor_t probs_desc = ARRAY(MLUOP_DTYPE_FLOAT, 3, 1);
  mluOpTensorDescriptor_t counts_desc = ARRAY(MLUOP_DTYPE_INT32, 1);
  check(mluOpGetGenerateProposalsV2WorkspaceSize(handle, scores_desc, &size));
  void* workspace = malloc(size);
  check(mluOpGenerateProposalsV2(handle, 10, 3, 0.7f, 0.1f, 1, true, scores_desc, scores,
                                 deltas_desc, deltas, size_desc, image_size, anchors_desc, anchors,
                                 anchors_desc, variances, workspace, size, rois_desc, rois,
                                 probs_desc, probs, counts_desc, counts, &total));
  FINISH(handle, scores_desc, deltas_desc, size_desc, anchors_desc, rois_desc, probs_desc,
         counts_desc);
  free(workspace);
}

static void border_align(mluOpHandle_t handle) {
  static const float input[2][2][4] = {{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{9, 8, 7, 6}, {5, 4, 3, 2}}};
  static const float boxes[4] = {0, 0, 1, 1};
  float output[4];
  int argmax[4];
  mluOpTensorDescriptor_t input_desc = IMAGE(MLUOP_DTYPE_FLOAT, 1, 2, 2, 4);
  mluOpTensorDescriptor_t boxes_desc = ARRAY(MLUOP_DTYPE_FLOAT, 1, 1, 4);
  mluOpTensorDescriptor_t output_desc = IMAGE(MLUOP_DTYPE_FLOAT, 1, 1, 4, 1);
  mluOpTensorDescriptor_t argmax_desc = IMAGE(MLUOP_DTYPE_INT32, 1, 1, 4, 1);
  check(mluOpBorderAlignForward(handle, input_desc, input, boxes_desc, boxes, 3, output_desc,
                                output, argmax_desc, argmax));
  FINISH(handle, input_desc, boxes_desc, output_desc, argmax_desc);
}

static void ps_roi_pool(mluOpHandle_t handle) {
  static const float input[2][2][4] = {{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{9, 8, 7, 6}, {5, 4, 3, 2}}};
  static const float rois[5] = {0, 0, 0, 1, 1};
  float output[4];
  int mapping[4];
  mluOpTensorDescriptor_t input_desc = IMAGE(MLUOP_DTYPE_FLOAT, 1, 2, 2, 4);
  mluOpTensorDescriptor_t rois_desc = ARRAY(MLUOP_DTYPE_FLOAT, 1, 5);
  mluOpTensorDescriptor_t output_desc = IMAGE(MLUOP_DTYPE_FLOAT, 1, 2, 2, 1);
  mluOpTensorDescriptor_t mapping_desc = IMAGE(MLUOP_DTYPE_INT32, 1, 2, 2, 1);
  check(mluOpPsRoiPoolForward(handle, 2, 2, 0.5f, 2, 1, input_desc, input, rois_desc, rois, NULL, 0,
                              output_desc, output, mapping_desc, mapping));
  FINISH(handle, input_desc, rois_desc, output_desc, mapping_desc);
}

int main(int argc, char** argv) {
  cnrtQueue_t queue = NULL;
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  if (argc > 2) {
    mluOpSetGenCaseMode((int)strtol(argv[1], NULL, 10));
    check(mluOpSetGenCaseDirectory(argv[2]));
    mluOpStatus_t status;
    char* directory = (char*)mluOpGetGenCaseDirectory(NULL, 0, NULL, &status);
    check(status);
    if (strcmp(directory, argv[2]) != 0) {
      fprintf(stderr, "the directory is %s\n", directory);
      return 1;
    }
    free(directory);
  }
  if (argc > 3) {
    CNRT_CHECK(cnrtQueueCreate(&queue));
    check(mluOpSetQueue(handle, queue));
  }
  overlaps(handle);
  poly_nms(handle);
  generate_proposals(handle);
  border_align(handle);
  ps_roi_pool(handle);
  check(mluOpDestroy(handle));
  if (queue != NULL) {
    CNRT_CHECK(cnrtQueueDestroy(queue));
  }
  return 0;
}
