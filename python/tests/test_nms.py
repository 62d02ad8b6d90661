# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import detops
import numpy as np
import pytest
import random_inputs
import references


@pytest.mark.parametrize("count", [1, 7, 120])
@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("offset", [0, 1])
def test_keeps_what_the_plain_loop_keeps(count, threshold, offset):
    boxes, scores = random_inputs.boxes(count, count), random_inputs.scores(count, count + 1)
    kept = detops.nms(boxes, scores, threshold, offset=offset)
    assert kept.dtype == np.int32
    np.testing.assert_array_equal(kept, references.nms(boxes, scores, threshold, offset))
    by_index = detops.nms(boxes, scores, threshold, offset=offset, sort_by_score=False)
    np.testing.assert_array_equal(by_index, np.sort(kept))


def test_boxes_of_exactly_the_threshold_are_kept():
    boxes = np.array([[0, 0, 10, 7], [0, 0, 10, 10]], np.float32)
    np.testing.assert_array_equal(detops.nms(boxes, [0.5, 0.9], 0.7), [1, 0])
    np.testing.assert_array_equal(detops.nms(boxes, [0.5, 0.9], 0.69), [1])


def test_equal_and_special_scores():
    boxes = np.tile(np.array([[0, 0, 1, 1]], np.float32), (4, 1))
    for scores, expected in [([1, 1, 1, 1], 0), ([0.0, -0.0, 0, 0], 0), ([1, np.inf, np.nan, 2], 2)]:
        np.testing.assert_array_equal(detops.nms(boxes, np.array(scores, np.float32), 0.5), [expected])


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.int16])
def test_groups_are_suppressed_on_their_own(dtype):
    count = 200
    boxes, scores = random_inputs.boxes(count, 20), random_inputs.scores(count, 21)
    groups = np.random.default_rng(22).integers(0, 5, count).astype(dtype)
    kept = detops.nms(boxes, scores, 0.2, groups=groups)
    single = []
    for group in range(5):
        members = np.flatnonzero(groups == group)
        single += list(members[detops.nms(boxes[members], scores[members], 0.2)])
    single.sort(key=lambda i: -scores[i])
    np.testing.assert_array_equal(kept, single)
    np.testing.assert_array_equal(kept, references.nms(boxes, scores, 0.2, groups=groups))
    assert len(kept) > len(detops.nms(boxes, scores, 0.2))


def test_batched_nms_is_nms_with_groups():
    count = 150
    boxes, scores = random_inputs.boxes(count, 23), random_inputs.scores(count, 24)
    idxs = np.random.default_rng(25).integers(0, 4, count)
    kept = detops.batched_nms(boxes, scores, idxs, 0.3)
    np.testing.assert_array_equal(kept, references.nms(boxes, scores, 0.3, groups=idxs))
    np.testing.assert_array_equal(kept, detops.nms(boxes, scores, 0.3, groups=idxs))


@pytest.mark.parametrize("group", [2**31, 2**32, -(2**31) - 1, 2**63 - 1])
def test_group_numbers_are_never_cut_to_others(group):
    """Truncated to 32 bits, some of these would collide with group 0 or each other."""
    boxes = np.zeros((2, 4), np.float32) + [0, 0, 1, 1]
    groups = np.array([0, group], np.int64)
    try:
        kept = detops.nms(boxes, [0.9, 0.8], 0.5, groups=groups)
    except ValueError as error:
        assert "groups" in str(error)
    else:
        np.testing.assert_array_equal(kept, [0, 1])


def test_images_lie_one_after_the_other():
    counts = [40, 0, 25, 60]
    boxes, scores = random_inputs.boxes(125, 26), random_inputs.scores(125, 27)
    kept, kept_counts = detops.nms(boxes, scores, 0.2, image_counts=counts, return_counts=True)
    expected, expected_counts, begin = [], [], 0
    for count in counts:
        of_image = slice(begin, begin + count)
        single = references.nms(boxes[of_image], scores[of_image], 0.2)
        expected += [begin + i for i in single]
        expected_counts.append(len(single))
        begin += count
    np.testing.assert_array_equal(kept, expected)
    np.testing.assert_array_equal(kept_counts, expected_counts)
    assert kept_counts.dtype == np.int32


def test_counts_of_one_image():
    kept, counts = detops.nms(random_inputs.boxes(30, 28), random_inputs.scores(30, 29), 0.2, return_counts=True)
    np.testing.assert_array_equal(counts, [len(kept)])


def test_limits():
    boxes, scores = random_inputs.boxes(100, 30), random_inputs.scores(100, 31)
    everything = detops.nms(boxes, scores, 0.3)
    np.testing.assert_array_equal(detops.nms(boxes, scores, 0.3, max_outputs=5), everything[:5])
    assert detops.nms(boxes, scores, 0.3, max_outputs=0).shape == (0,)
    above = scores > 0.5
    expected = np.flatnonzero(above)[references.nms(boxes[above], scores[above], 0.3)]
    np.testing.assert_array_equal(detops.nms(boxes, scores, 0.3, score_threshold=0.5), expected)
    with_nan = np.array([np.nan, 0.1, 0.9], np.float32)
    kept = detops.nms(random_inputs.boxes(3, 32), with_nan, 1.0, score_threshold=0.5)
    np.testing.assert_array_equal(kept, [0, 2])


@pytest.mark.parametrize("boxes", [np.zeros((0, 4), np.float32), np.zeros((0, 4)), np.zeros((0, 4), np.int64)])
def test_no_boxes(boxes):
    scores = np.zeros(0, boxes.dtype)
    for result in [
        detops.nms(boxes, scores, 0.5),
        detops.nms(boxes, scores, 0.5, groups=np.zeros(0, np.int32), sort_by_score=False),
        detops.batched_nms(boxes, scores, np.zeros(0, np.int64), 0.5),
    ]:
        assert (result.shape, result.dtype) == ((0,), np.int32)
    _, counts = detops.nms(boxes, scores, 0.5, image_counts=[0, 0], return_counts=True)
    np.testing.assert_array_equal(counts, [0, 0])
