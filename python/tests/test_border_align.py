# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import detops
import numpy as np
import pytest
import random_inputs
import references


def inputs(channels, seed, dtype=np.float32, images=2, height=7, width=9, count=6):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(images, height, width, 4 * channels)).astype(dtype)
    boxes = np.stack([random_inputs.boxes(count, seed + i, scene=8.0) - 1 for i in range(images)])
    return features, boxes.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("channels", [1, 5, 16])
@pytest.mark.parametrize("pool_size", [1, 3, 10])
def test_values_and_samples_have_the_bits_of_the_formula(dtype, channels, pool_size):
    features, boxes = inputs(channels, 60, dtype)
    values, samples = detops.border_align(features, boxes, pool_size, return_argmax=True)
    expected_values, expected_samples = references.border_align(features, boxes, pool_size)
    assert (values.dtype, samples.dtype) == (dtype, np.int32)
    assert values.shape == samples.shape == (2, 6, 4, channels)
    np.testing.assert_array_equal(values, expected_values.astype(dtype))
    np.testing.assert_array_equal(samples, expected_samples)
    np.testing.assert_array_equal(detops.border_align(features, boxes, pool_size), values)


def test_channels_first_is_the_same_in_another_order():
    features, boxes = inputs(8, 62)
    last = detops.border_align(features, boxes, 4, layout="NHWC", return_argmax=True)
    first = detops.border_align(
        np.ascontiguousarray(features.transpose(0, 3, 1, 2)), boxes, 4, layout="NCHW", return_argmax=True
    )
    for a, b in zip(last, first):
        assert b.shape == (2, 8, 6, 4)
        np.testing.assert_array_equal(a.transpose(0, 3, 1, 2), b)


def test_special_boxes():
    features, _ = inputs(3, 63, images=1)
    boxes = np.array(
        [[[5, 4, 1, 2], [2, 2, 2, 2], [-50, -50, 90, 90], [np.nan, 0, 3, 3], [0, 0, np.inf, 3]]], np.float32
    )
    with np.errstate(invalid="ignore"):
        expected = references.border_align(features, boxes, 5)
    for found, wanted in zip(detops.border_align(features, boxes, 5, return_argmax=True), expected):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("layout, shape", [("NHWC", (2, 0, 4, 3)), ("NCHW", (2, 3, 0, 4))])
def test_no_boxes(dtype, layout, shape):
    features = np.zeros((2, 5, 6, 12) if layout == "NHWC" else (2, 12, 5, 6), dtype)
    boxes = np.zeros((2, 0, 4), dtype)
    values, samples = detops.border_align(features, boxes, 4, layout=layout, return_argmax=True)
    assert (values.shape, values.dtype) == (shape, dtype)
    assert (samples.shape, samples.dtype) == (shape, np.int32)
