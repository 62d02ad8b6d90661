# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""One call of every operator, with arrays of small integers that every number type can represent."""

import dataclasses
from typing import Any, Callable

import detops
import numpy as np


@dataclasses.dataclass
class Operation:
    name: str
    arrays: list  # contiguous float32; groups are integers
    call: Callable  # call(*arrays) returns one result or a tuple
    keeps_half: bool = False
    has_out: bool = False

    def arrays_as(self, dtype):
        """Returns the arrays converted to another type; groups stay integers."""
        stay = np.dtype(dtype).kind == "f"
        return [a if a.dtype == np.int32 and stay else a.astype(dtype) for a in self.arrays]

    def __call__(self, *arrays: Any, **options):
        result = self.call(*arrays, **options)
        return result if isinstance(result, tuple) else (result,)


def _whole_boxes(count, seed, largest=30):
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, largest, (count, 2))
    return np.hstack([corners, corners + rng.integers(1, largest // 2, (count, 2))]).astype(np.float32)


def _whole_dets(count, seed):
    x1, y1, x2, y2 = _whole_boxes(count, seed).T
    scores = np.random.default_rng(seed).permutation(count)
    return np.stack([x1, y1, x2, y1, x2, y2, x1, y2, scores], 1).astype(np.float32)


def _whole_numbers(shape, seed):
    return np.random.default_rng(seed).integers(0, 50, shape).astype(np.float32)


_FIRST, _SECOND = _whole_boxes(12, 1), _whole_boxes(10, 2)
_SCORES = np.random.default_rng(3).permutation(12).astype(np.float32)
_GROUPS = np.arange(12, dtype=np.int32) % 3
_ROIS = np.hstack([np.arange(6)[:, None] % 2, _whole_boxes(6, 4, 8)]).astype(np.float32)
_PROPOSAL_SCORES = np.random.default_rng(5).permutation(48).reshape(2, 4, 3, 2).astype(np.float32)
_DELTAS = np.random.default_rng(6).integers(0, 2, (2, 4, 3, 8)).astype(np.float32)
_SIZES = np.array([[40, 44], [36, 32]], np.float32)
_ANCHORS = _whole_boxes(24, 7).reshape(4, 3, 2, 4)
_VARIANCES = np.ones((4, 3, 2, 4), np.float32)
_FEATURES = _whole_numbers((2, 6, 7, 8), 8)
_BORDER_BOXES = np.stack([_whole_boxes(5, 9, 6), _whole_boxes(5, 10, 6)])
_POOLED = _whole_numbers((2, 6, 7, 18), 11)


OPERATIONS = [
    Operation("bbox_overlaps", [_FIRST, _SECOND], detops.bbox_overlaps, True, True),
    Operation(
        "bbox_overlaps_aligned",
        [_FIRST[:10].copy(), _SECOND],
        lambda a, b, **options: detops.bbox_overlaps(a, b, aligned=True, **options),
        True,
        True,
    ),
    Operation("bbox_overlaps_row_maximum", [_FIRST, _SECOND], detops.bbox_overlaps_row_maximum),
    Operation("bbox_overlaps_pairs", [_FIRST, _SECOND], lambda a, b: detops.bbox_overlaps_pairs(a, b, 0.125)),
    Operation("poly_nms", [_whole_dets(20, 12)], lambda dets: detops.poly_nms(dets, 0.2)),
    Operation("polygon_iou", [_whole_dets(9, 13), _whole_dets(8, 14)], detops.polygon_iou, False, True),
    Operation("nms", [_FIRST, _SCORES], lambda boxes, scores: detops.nms(boxes, scores, 0.2)),
    Operation(
        "batched_nms",
        [_FIRST, _SCORES, _GROUPS],
        lambda boxes, scores, groups: detops.batched_nms(boxes, scores, groups, 0.2),
    ),
    Operation(
        "generate_proposals",
        [_PROPOSAL_SCORES, _DELTAS, _SIZES, _ANCHORS, _VARIANCES],
        lambda *arrays: detops.generate_proposals(*arrays, return_anchor_indices=True),
    ),
    Operation(
        "border_align",
        [_FEATURES, _BORDER_BOXES],
        lambda features, boxes, **options: detops.border_align(features, boxes, 4, **options),
        True,
        True,
    ),
    Operation(
        "psroi_pool",
        [_POOLED, _ROIS],
        lambda features, rois, **options: detops.psroi_pool(features, rois, 3, **options),
        False,
        True,
    ),
]

WITH_OUT = [operation for operation in OPERATIONS if operation.has_out]


def name_of(operation):
    return operation.name
