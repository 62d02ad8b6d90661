# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import detops
import numpy as np
import pytest
import random_inputs
import references


def feature_map(group, dim, seed, images=2, height=12, width=15):
    shape = (images, height, width, group * group * dim)
    return np.random.default_rng(seed).uniform(0.5, 2, shape).astype(np.float32)


@pytest.mark.parametrize("rounding", ["before_scaling", "after_scaling"])
@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 16])
@pytest.mark.parametrize("group, dim", [(1, 3), (3, 8), (7, 2)])
def test_means_are_those_of_the_bins(rounding, scale, group, dim):
    features = feature_map(group, dim, 70)
    rois = random_inputs.regions(25, 2, 71, 15 / scale, 12 / scale)
    means, mapping = detops.psroi_pool(features, rois, group, scale, rounding=rounding, return_mapping=True)
    expected, channels = references.psroi_pool(features, rois, group, scale, rounding)
    assert (means.dtype, mapping.dtype) == (np.float32, np.int32)
    assert means.shape == mapping.shape == (25, group, group, dim)
    np.testing.assert_allclose(means, expected, rtol=1e-6)
    np.testing.assert_array_equal(mapping, channels)
    np.testing.assert_array_equal(detops.psroi_pool(features, rois, group, scale, rounding=rounding), means)


@pytest.mark.parametrize("size", [(3, 3), [3, 3], np.array([3, 3])], ids=["tuple", "list", "array"])
def test_the_size_may_be_height_and_width(size):
    features, rois = feature_map(3, 2, 80), random_inputs.regions(5, 2, 81, 15, 12)
    np.testing.assert_array_equal(detops.psroi_pool(features, rois, size), detops.psroi_pool(features, rois, 3))


def test_exact_means_have_equal_bits():
    """Sums of integers are exact, so a bin that is off by one pixel cannot hide in a tolerance."""
    features = np.random.default_rng(72).integers(0, 2**10, (1, 20, 20, 18)).astype(np.float32)
    rois = random_inputs.regions(60, 1, 73, 200, 200)
    np.testing.assert_array_equal(
        detops.psroi_pool(features, rois, 3, 0.1), references.psroi_pool(features, rois, 3, 0.1)[0]
    )


def test_channels_first_is_the_same_in_another_order():
    features = feature_map(3, 4, 74)
    rois = random_inputs.regions(30, 2, 75, 15, 12)
    last = detops.psroi_pool(features, rois, 3, return_mapping=True)
    first = detops.psroi_pool(
        np.ascontiguousarray(features.transpose(0, 3, 1, 2)), rois, 3, layout="NCHW", return_mapping=True
    )
    for a, b in zip(last, first):
        assert b.shape == (30, 4, 3, 3)
        np.testing.assert_array_equal(a.transpose(0, 3, 1, 2), b)


def test_halves_are_rounded_away_from_zero():
    features = np.arange(64, dtype=np.float32).reshape(1, 8, 8, 1)
    rois = np.array([[0, 0.5, 2.5, 4.5, 4.5], [0, -0.5, 1, 3, 3]], np.float32)
    np.testing.assert_array_equal(detops.psroi_pool(features, rois, 1), references.psroi_pool(features, rois, 1)[0])


def test_regions_that_are_not_finite_have_empty_bins():
    features = feature_map(2, 2, 76)
    rois = np.array([[0, np.nan, 0, 5, 5], [1, 0, -np.inf, 5, np.inf], [0, 0, 0, 5, 5]], np.float32)
    result = detops.psroi_pool(features, rois, 2)
    assert (result[:2] == 0).all()
    assert (result[2] > 0).all()


@pytest.mark.parametrize("layout, shape", [("NHWC", (0, 3, 3, 2)), ("NCHW", (0, 2, 3, 3))])
def test_no_regions(layout, shape):
    features = np.zeros((1, 5, 6, 18) if layout == "NHWC" else (1, 18, 5, 6), np.float32)
    means, mapping = detops.psroi_pool(features, np.zeros((0, 5), np.float32), 3, layout=layout, return_mapping=True)
    assert (means.shape, means.dtype) == (shape, np.float32)
    assert (mapping.shape, mapping.dtype) == (shape, np.int32)


@pytest.mark.parametrize("shape", [(0, 5, 6, 18), (1, 0, 6, 18), (1, 5, 0, 18)])
def test_maps_without_pixels_give_zeros(shape):
    rois = np.array([[0, 0, 0, 2, 2]] * 4, np.float32)
    for result in detops.psroi_pool(np.zeros(shape, np.float32), rois, 3, return_mapping=True):
        assert result.shape == (4, 3, 3, 2)
        assert (result == 0).all()


@pytest.mark.parametrize("image", [2, -1, np.nan, np.inf])
def test_regions_of_images_that_do_not_exist(image):
    rois = np.array([[0, 0, 0, 5, 5], [image, 0, 0, 5, 5]], np.float32)
    with pytest.raises(ValueError, match=r"rois\[1\] has batch index .*; it must be 0 to 1$"):
        detops.psroi_pool(feature_map(2, 2, 79), rois, 2)
