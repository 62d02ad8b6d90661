/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* Generates proposals from the output of a region proposal network (RPN) on a queue, with the
 * MLU-OPS API.
 *
 *   cc generate_proposals_v2.c -o generate_proposals_v2 $(pkg-config --cflags --libs detops) &&
 *       ./generate_proposals_v2
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cnrt.h"
#include "mlu_op.h"

/* The feature map of one image: three positions in a row, with two anchors each. */
#define IMAGES 1
#define HEIGHT 1
#define WIDTH 3
#define ANCHORS 2

#define CANDIDATES 4 /* number of highest scores to decode (pre_nms_top_n) */
#define PROPOSALS 4  /* maximum number of proposals (post_nms_top_n) */

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

/* Allocates device memory and copies `from` to it, as a job of the queue. */
static void* to_device(const void* from, size_t bytes, cnrtQueue_t queue) {
  void* memory;
  CNRT_CHECK(cnrtMalloc(&memory, bytes));
  CNRT_CHECK(cnrtMemcpyAsync(memory, from, bytes, queue, cnrtMemcpyHostToDev));
  return memory;
}

int main(void) {
  static const float scores[WIDTH][ANCHORS] = {{0.9f, 0.1f}, {0.8f, 0.2f}, {0.3f, 0.6f}};
  /* The deltas move the first anchor of the second position over that of the first position: both
   * found the same object. */
  static const float deltas[WIDTH][ANCHORS][4] = {
      {{0, 0, 0, 0}, {0, 0, 0, 0}}, {{-0.9f, 0, 0, 0}, {0, 0, 0, 0}}, {{0, 0, 0, 0}, {0, 0, 0, 0}}};
  static const float image_size[2] = {40, 120}; /* height, width */
  static const float anchors[WIDTH][ANCHORS][4] = {{{0, 0, 40, 40}, {-20, 0, 60, 40}},
                                                   {{40, 0, 80, 40}, {20, 0, 100, 40}},
                                                   {{80, 0, 120, 40}, {60, 0, 140, 40}}};
  static const float variances[WIDTH][ANCHORS][4] = {
      {{1, 1, 1, 1}, {1, 1, 1, 1}}, {{1, 1, 1, 1}, {1, 1, 1, 1}}, {{1, 1, 1, 1}, {1, 1, 1, 1}}};
  float rois[PROPOSALS][4];
  float probs[PROPOSALS];
  int32_t count;

  cnrtQueue_t queue;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  mluOpHandle_t handle;
  check(mluOpCreate(&handle));
  check(mluOpSetQueue(handle, queue));

  const int scores_dims[] = {IMAGES, HEIGHT, WIDTH, ANCHORS};
  const int deltas_dims[] = {IMAGES, HEIGHT, WIDTH, 4 * ANCHORS};
  const int image_size_dims[] = {IMAGES, 2};
  const int anchors_dims[] = {HEIGHT, WIDTH, ANCHORS, 4};
  const int rois_dims[] = {IMAGES * PROPOSALS, 4};
  const int probs_dims[] = {IMAGES * PROPOSALS, 1};
  const int counts_dims[] = {IMAGES};
  mluOpTensorDescriptor_t scores_desc = describe(MLUOP_DTYPE_FLOAT, 4, scores_dims);
  mluOpTensorDescriptor_t deltas_desc = describe(MLUOP_DTYPE_FLOAT, 4, deltas_dims);
  mluOpTensorDescriptor_t image_size_desc = describe(MLUOP_DTYPE_FLOAT, 2, image_size_dims);
  mluOpTensorDescriptor_t anchors_desc = describe(MLUOP_DTYPE_FLOAT, 4, anchors_dims);
  mluOpTensorDescriptor_t rois_desc = describe(MLUOP_DTYPE_FLOAT, 2, rois_dims);
  mluOpTensorDescriptor_t probs_desc = describe(MLUOP_DTYPE_FLOAT, 2, probs_dims);
  mluOpTensorDescriptor_t counts_desc = describe(MLUOP_DTYPE_INT32, 1, counts_dims);

  /* The caller provides the workspace. */
  size_t workspace_size;
  check(mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle, scores_desc, CANDIDATES,
                                                    &workspace_size));
  void* device_scores = to_device(scores, sizeof(scores), queue);
  void* device_deltas = to_device(deltas, sizeof(deltas), queue);
  void* device_image_size = to_device(image_size, sizeof(image_size), queue);
  void* device_anchors = to_device(anchors, sizeof(anchors), queue);
  void* device_variances = to_device(variances, sizeof(variances), queue);
  void *workspace, *device_rois, *device_probs, *device_counts, *device_total;
  CNRT_CHECK(cnrtMalloc(&workspace, workspace_size));
  CNRT_CHECK(cnrtMalloc(&device_rois, sizeof(rois)));
  CNRT_CHECK(cnrtMalloc(&device_probs, sizeof(probs)));
  CNRT_CHECK(cnrtMalloc(&device_counts, IMAGES * sizeof(int32_t)));
  CNRT_CHECK(cnrtMalloc(&device_total, sizeof(count)));

  const float nms_thresh = 0.7f;
  const float min_size = 0.1f;
  const float eta = 1;
  const bool pixel_offset = false;
  check(mluOpGenerateProposalsV2(
      handle, CANDIDATES, PROPOSALS, nms_thresh, min_size, eta, pixel_offset, scores_desc,
      device_scores, deltas_desc, device_deltas, image_size_desc, device_image_size, anchors_desc,
      device_anchors, anchors_desc, device_variances, workspace, workspace_size, rois_desc,
      device_rois, probs_desc, device_probs, counts_desc, device_counts, device_total));
  CNRT_CHECK(cnrtMemcpyAsync(&count, device_total, sizeof(count), queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtQueueSync(queue));
  /* Only the first `count` rows are written. */
  CNRT_CHECK(cnrtMemcpy(rois, device_rois, count * sizeof(rois[0]), cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtMemcpy(probs, device_probs, count * sizeof(probs[0]), cnrtMemcpyDevToHost));

  static const float expected[3][4] = {{0, 0, 40, 40}, {60, 0, 120, 40}, {80, 0, 120, 40}};
  int wrong = count != 3;
  printf("%d proposals:\n", count);
  for (int i = 0; i < count; ++i) {
    printf("  %.2f at (%g, %g, %g, %g)\n", probs[i], rois[i][0], rois[i][1], rois[i][2],
           rois[i][3]);
    for (int side = 0; side < 4 && !wrong; ++side) {
      wrong = rois[i][side] != expected[i][side];
    }
  }

  mluOpTensorDescriptor_t descriptors[] = {scores_desc, deltas_desc, image_size_desc, anchors_desc,
                                           rois_desc,   probs_desc,  counts_desc};
  for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); ++i) {
    check(mluOpDestroyTensorDescriptor(descriptors[i]));
  }
  void* memory[] = {device_scores,    device_deltas, device_image_size, device_anchors,
                    device_variances, workspace,     device_rois,       device_probs,
                    device_counts,    device_total};
  for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); ++i) {
    CNRT_CHECK(cnrtFree(memory[i]));
  }
  check(mluOpDestroy(handle));
  CNRT_CHECK(cnrtQueueDestroy(queue));
  return wrong;
}
