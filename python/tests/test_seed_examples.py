# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The examples of the MLU-OPS design documents, with the results that are printed there."""

import detops
import numpy as np
import pytest

INF, NAN = np.inf, np.nan


def test_bbox_overlaps():
    bboxes1 = np.array([[0, 0, 10, 10], [10, 10, 20, 20], [32, 32, 38, 42]], np.float32)
    bboxes2 = np.array([[0, 0, 10, 20], [0, 10, 10, 19], [10, 10, 20, 20]], np.float32)
    result = detops.bbox_overlaps(bboxes1, bboxes2)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, [[0.5, 0, 0], [0, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize("empty", [np.zeros(0, np.float32), np.zeros((0, 4), np.float32), np.zeros(0), []])
def test_bbox_overlaps_without_boxes(empty):
    nonempty = np.array([[0, 0, 10, 9]], np.float32)
    for first, second, shape in [(empty, nonempty, (0, 1)), (nonempty, empty, (1, 0)), (empty, empty, (0, 0))]:
        result = detops.bbox_overlaps(first, second)
        assert isinstance(result, np.ndarray)
        assert result.shape == shape
        assert result.dtype == np.float32


UNIT = [0, 0, 1, 0, 1, 1, 0, 1]
SHIFTED = [0.5, 0.5, 1.5, 0.5, 1.5, 1.5, 0.5, 1.5]
BELOW = [0, 0, -0.5, 0, -0.5, -0.5, 0, -0.5]
QUARTER = [0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5]
LARGE = [0, 0, 2, 0, 2, 2, 0, 2]
CORNER = [1.5, 1.5, 2.5, 1.5, 2.5, 2.5, 1.5, 2.5]

POLY_NMS_EXAMPLES = {
    "one box": ([UNIT + [3]], 0.1, [0]),
    "the higher score wins": ([UNIT + [1], SHIFTED + [2], BELOW + [3]], 0.1, [1, 2]),
    "one meets both": ([UNIT + [3], SHIFTED + [2], QUARTER + [1]], 0.1, [0]),
    "IoU of 0.1428": ([UNIT + [3], SHIFTED + [2], BELOW + [1]], 0.1, [0, 2]),
    "score of inf": ([LARGE + [INF], CORNER + [1], BELOW + [3]], 0.05, [0, 2]),
    "score of -inf": ([LARGE + [-INF], CORNER + [1], BELOW + [3]], 0.05, [1, 2]),
    "score of NaN": ([LARGE + [NAN], CORNER + [1], BELOW + [3]], 0.05, [0, 2]),
    "a box with inf": ([[INF, 0, 2, 0, 2, 2, INF, 2, 2], CORNER + [1], BELOW + [3]], 0.05, [0, 1, 2]),
    "two boxes with inf": (
        [[0, 0, INF, INF, 2, 2, 0, 2, 2], [1.5, 1.5, INF, INF, 2.5, 2.5, 1.5, 2.5, 1], BELOW + [3]],
        0.05,
        [0, 1, 2],
    ),
    "a box with NaN": ([[0, 0, 2, 0, 2, 2, 0, NAN, 2], CORNER + [1], BELOW + [3]], 0.05, [0, 1, 2]),
}


@pytest.mark.parametrize("dets, threshold, expected", POLY_NMS_EXAMPLES.values(), ids=POLY_NMS_EXAMPLES.keys())
def test_poly_nms(dets, threshold, expected):
    result = detops.poly_nms(np.array(dets, np.float32), threshold)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, expected)


def test_generate_proposals_of_nan_scores():
    scores = np.array([0.2, NAN, 0.5, -INF], np.float32).reshape(2, 1, 2, 1)
    deltas = np.tile(np.array([0, 0, 2, 2], np.float32), (2, 1, 2, 1))
    anchors = np.tile(np.array([1, 1, 3, 3], np.float32), (1, 2, 1, 1))
    sizes = np.full((2, 2), 5, np.float32)
    rois, probs, counts = detops.generate_proposals(
        scores,
        deltas,
        sizes,
        anchors,
        anchors,
        pre_nms_top_n=2000,
        post_nms_top_n=1000,
        nms_thresh=0.5,
        min_size=0.1,
        eta=1.0,
        pixel_offset=False,
        return_rois_num=True,
    )
    np.testing.assert_array_equal(rois, [[0, 0, 5, 5], [0, 0, 5, 5]])
    np.testing.assert_array_equal(probs, [[NAN], [0.5]])
    np.testing.assert_array_equal(counts, [1, 1])
    assert (rois.dtype, probs.dtype, counts.dtype) == (np.float32, np.float32, np.int32)


BORDER_ALIGN_INPUT = np.array(
    [
        [
            [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
            [[6, 7, 5, 8], [2, 1, 3, 4], [12, 9, 11, 10]],
            [[-2, -3, 2, 0], [-4, -5, 1, -1], [-1, -1, -1, -1]],
            [[0, -1, 2, 1], [-4, -3, -2, -1], [-1, -2, -3, -4]],
        ]
    ],
    np.float32,
)
BORDER_ALIGN_BOXES = np.array(
    [
        [
            [0, 0, 2, 1],
            [1, 0, 3, 1],
            [1, 0, 2, 1],
            [0, 0, 3, 1],
            [0, 0, 1, 2],
            [0, 0, 2, 2],
            [1, 0, 2, 1],
            [1, 0, 3, 1],
            [0, 1, 1, 2],
            [0, 0, 3, 2],
            [1, 0, 3, 2],
            [2, 0, 3, 2],
        ]
    ],
    np.float32,
)
BORDER_ALIGN_RESULT = [
    [3, 6, 1, 2],
    [4, 7, -1, 1],
    [3, 7, 1, 2],
    [4, 6, -1, 1],
    [2, 12, -1, -1],
    [3, 12, -1, 2],
    [3, 7, 1, 2],
    [4, 7, -1, 1],
    [6, 12, -1, -2],
    [4, 12, -1, 1],
    [4, 9, -1, 1],
    [4, 11, -1, 1],
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_border_align_channels_first(dtype):
    result = detops.border_align(BORDER_ALIGN_INPUT.astype(dtype), BORDER_ALIGN_BOXES.astype(dtype), 1, layout="NCHW")
    assert result.dtype == dtype
    assert result.shape == (1, 1, 12, 4)
    np.testing.assert_array_equal(result[0, 0], BORDER_ALIGN_RESULT)


def test_border_align_channels_last():
    result = detops.border_align(BORDER_ALIGN_INPUT.transpose(0, 2, 3, 1), BORDER_ALIGN_BOXES, 1)
    assert result.shape == (1, 12, 4, 1)
    np.testing.assert_array_equal(result[0, ..., 0], BORDER_ALIGN_RESULT)
