# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import detops
import numpy as np
import pytest
import random_inputs
import references


@pytest.mark.parametrize("count", [1, 9, 60])
@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_keeps_what_the_plain_loop_keeps(count, threshold):
    dets = random_inputs.rotated_rectangles(count, count)
    kept = detops.poly_nms(dets, threshold)
    assert kept.dtype == np.int32
    np.testing.assert_array_equal(kept, references.poly_nms(dets, threshold))
    by_score = detops.poly_nms(dets, threshold, sort_by_score=True)
    np.testing.assert_array_equal(by_score, sorted(kept, key=lambda i: -dets[i, 8]))


def test_groups_and_images():
    dets = random_inputs.rotated_rectangles(100, 40)
    groups = np.arange(100) % 3
    np.testing.assert_array_equal(
        detops.poly_nms(dets, 0.1, groups=groups), references.poly_nms(dets, 0.1, groups=groups)
    )
    kept, counts = detops.poly_nms(dets, 0.1, image_counts=np.array([60, 40]), return_counts=True)
    first, second = references.poly_nms(dets[:60], 0.1), references.poly_nms(dets[60:], 0.1)
    np.testing.assert_array_equal(kept, first + [60 + i for i in second])
    np.testing.assert_array_equal(counts, [len(first), len(second)])


def test_limits():
    dets = random_inputs.rotated_rectangles(80, 41)
    everything = detops.poly_nms(dets, 0.1, sort_by_score=True)
    limited = detops.poly_nms(dets, 0.1, max_outputs=4, sort_by_score=True)
    np.testing.assert_array_equal(limited, everything[:4])
    above = detops.poly_nms(dets, 0.1, score_threshold=0.5)
    chosen = np.flatnonzero(dets[:, 8] > 0.5)
    np.testing.assert_array_equal(above, chosen[references.poly_nms(dets[chosen], 0.1)])


def test_no_detections():
    result = detops.poly_nms(np.zeros((0, 9), np.float32), 0.5)
    assert (result.shape, result.dtype) == ((0,), np.int32)
    result, counts = detops.poly_nms(np.zeros((0, 9)), 0.5, return_counts=True)
    assert (result.shape, result.dtype) == ((0,), np.int32)
    np.testing.assert_array_equal(counts, [0])


@pytest.mark.parametrize("numbers1, numbers2", [(8, 8), (9, 9), (8, 9)])
def test_polygon_iou_is_that_of_clipping(numbers1, numbers2):
    first = random_inputs.rotated_rectangles(30, 42)[:, :numbers1]
    second = random_inputs.rotated_rectangles(20, 44)[:, :numbers2]
    result = detops.polygon_iou(np.ascontiguousarray(first), np.ascontiguousarray(second))
    expected = [[references.convex_iou(a, b) for b in second] for a in first]
    assert (result.shape, result.dtype) == ((30, 20), np.float32)
    np.testing.assert_allclose(result, expected, atol=1e-6)
    assert (result > 0.1).any()


def test_aligned_polygon_iou():
    first = random_inputs.rotated_rectangles(50, 46)
    second = first + np.float32(0.5)
    result = detops.polygon_iou(first, second, aligned=True)
    assert result.shape == (50,)
    expected = [references.convex_iou(a, b) for a, b in zip(first, second)]
    np.testing.assert_allclose(result, expected, atol=1e-6)
    np.testing.assert_array_equal(detops.polygon_iou(first, first, True), np.ones(50))


def test_polygon_iou_without_polygons():
    empty, one = np.zeros((0, 8), np.float32), np.zeros((1, 8), np.float32)
    for first, second, shape in [(empty, one, (0, 1)), (one, empty, (1, 0)), (empty, empty, (0, 0))]:
        result = detops.polygon_iou(first, second)
        assert (result.shape, result.dtype) == (shape, np.float32)
    assert detops.polygon_iou(empty, empty, aligned=True).shape == (0,)


def test_far_from_the_origin():
    near = np.round(random_inputs.rotated_rectangles(20, 48) * 4) / 4
    far = near.copy()
    far[:, :8] += np.float32(2**20)
    np.testing.assert_array_equal(detops.polygon_iou(near, near), detops.polygon_iou(far, far))
