# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import itertools

import detops
import numpy as np
import pytest
import random_inputs
import references

VARIANTS = list(itertools.product(["iou", "iof"], [0, 1]))


@pytest.mark.parametrize("mode, offset", VARIANTS)
@pytest.mark.parametrize("rows, columns", [(1, 1), (8, 8), (33, 17), (257, 100)])
def test_matrix_has_the_bits_of_the_formula(mode, offset, rows, columns):
    first, second = random_inputs.boxes(rows, 1), random_inputs.boxes(columns, 2)
    result = detops.bbox_overlaps(first, second, mode, False, offset)
    assert result.shape == (rows, columns)
    np.testing.assert_array_equal(result, references.overlaps(first, second, mode, False, offset))
    assert rows * columns == 1 or (result > 0).any()


@pytest.mark.parametrize("mode, offset", VARIANTS)
def test_aligned_pairs_have_the_bits_of_the_formula(mode, offset):
    first = random_inputs.boxes(101, 3)
    second = first + np.float32(2.5)
    result = detops.bbox_overlaps(first, second, mode=mode, aligned=True, offset=offset)
    assert result.shape == (101,)
    np.testing.assert_array_equal(result, references.overlaps(first, second, mode, True, offset))
    assert (result > 0).all()


@pytest.mark.parametrize("mode, offset", VARIANTS)
@pytest.mark.parametrize("aligned", [False, True])
def test_half_is_computed_in_float_and_rounded_once(mode, offset, aligned):
    first, second = (random_inputs.boxes(40, seed).astype(np.float16) for seed in (4, 5))
    result = detops.bbox_overlaps(first, second, mode, aligned, offset)
    assert result.dtype == np.float16
    np.testing.assert_array_equal(result, references.overlaps(first, second, mode, aligned, offset).astype(np.float16))


def test_special_coordinates():
    boxes = np.array(
        [[0, 0, 2, 2], [0, 0, np.nan, 2], [0, 0, np.inf, 2], [2, 2, 0, 0], [1, 1, 1, 1], [-np.inf, 0, 2, 2]], np.float32
    )
    for mode, offset in VARIANTS:
        result = detops.bbox_overlaps(boxes, boxes, mode, False, offset)
        np.testing.assert_array_equal(result, references.overlaps(boxes, boxes, mode, False, offset))
    assert np.isnan(detops.bbox_overlaps(boxes, boxes)[1]).all()


@pytest.mark.parametrize("mode, offset", VARIANTS)
def test_row_maximum_is_the_maximum_of_the_matrix(mode, offset):
    first, second = random_inputs.boxes(70, 6), random_inputs.boxes(50, 7)
    values, columns = detops.bbox_overlaps_row_maximum(first, second, mode, offset)
    matrix = references.overlaps(first, second, mode, False, offset)
    assert (values.dtype, columns.dtype) == (np.float32, np.int32)
    np.testing.assert_array_equal(values, matrix.max(1))
    np.testing.assert_array_equal(columns, matrix.argmax(1))


def test_row_maximum_without_columns():
    values, columns = detops.bbox_overlaps_row_maximum(random_inputs.boxes(3, 8), np.zeros((0, 4), np.float32))
    np.testing.assert_array_equal(values, [0, 0, 0])
    np.testing.assert_array_equal(columns, [-1, -1, -1])
    values, columns = detops.bbox_overlaps_row_maximum([], random_inputs.boxes(3, 8))
    assert (values.shape, values.dtype, columns.shape, columns.dtype) == ((0,), np.float32, (0,), np.int32)


@pytest.mark.parametrize("mode, offset", VARIANTS)
@pytest.mark.parametrize("threshold", [0.3, 0, -1])
def test_pairs_are_those_of_the_matrix(mode, offset, threshold):
    first, second = random_inputs.boxes(60, 9), random_inputs.boxes(50, 10)
    pairs, values = detops.bbox_overlaps_pairs(first, second, threshold, mode, offset)
    matrix = references.overlaps(first, second, mode, False, offset)
    expected = np.argwhere(matrix > np.float32(threshold))
    assert len(expected) > 0
    assert (pairs.dtype, values.dtype) == (np.int32, np.float32)
    np.testing.assert_array_equal(pairs, expected)
    np.testing.assert_array_equal(values, matrix[expected[:, 0], expected[:, 1]])


@pytest.mark.parametrize("first, second", [([], [[0, 0, 1, 1]]), ([[0, 0, 1, 1]], []), ([], []), ([[0, 0, 1, 1]],) * 2])
def test_no_pairs(first, second):
    pairs, values = detops.bbox_overlaps_pairs(first, second, 1.0)
    assert (pairs.shape, pairs.dtype) == ((0, 2), np.int32)
    assert (values.shape, values.dtype) == ((0,), np.float32)


def test_half_of_row_maximum_and_pairs():
    first, second = (random_inputs.boxes(30, seed).astype(np.float16) for seed in (11, 12))
    matrix = references.overlaps(first, second)
    values, columns = detops.bbox_overlaps_row_maximum(first, second)
    assert values.dtype == np.float32
    np.testing.assert_array_equal(columns, matrix.argmax(1))
    pairs, _ = detops.bbox_overlaps_pairs(first, second, 0.25)
    np.testing.assert_array_equal(pairs, np.argwhere(matrix > 0.25))


def test_aligned_lists_without_boxes():
    result = detops.bbox_overlaps([], [], aligned=True)
    assert (result.shape, result.dtype) == ((0,), np.float32)
    half = np.zeros((0, 4), np.float16)
    assert detops.bbox_overlaps(half, half).dtype == np.float16
