# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

import detops
import numpy as np
import pytest
import random_inputs
import references

OPTIONS = {
    "defaults": {},
    "few": {"pre_nms_top_n": 60, "post_nms_top_n": 7},
    "pixel offset": {"pixel_offset": True, "nms_thresh": 0.3},
    "large boxes": {"min_size": 30.0},
    "all candidates": {"pre_nms_top_n": -1, "nms_thresh": 0.7},
    "nothing is large enough": {"min_size": 1e6},
}


def channels_first(array):
    return np.ascontiguousarray(array.transpose(0, 3, 1, 2))


def expected_proposals(scores, deltas, sizes, anchors, variances, options):
    settings = dict(pre_nms_top_n=6000, post_nms_top_n=1000, nms_thresh=0.5, min_size=0.1, pixel_offset=False)
    settings.update(options)
    images = [
        references.generate_proposals(
            scores[i].ravel(),
            deltas[i].reshape(-1, 4),
            sizes[i],
            anchors.reshape(-1, 4),
            None if variances is None else variances.reshape(-1, 4),
            *settings.values(),
        )
        for i in range(len(scores))
    ]
    counts = [len(image[1]) for image in images]
    return tuple(np.concatenate([image[part] for image in images]) for part in range(3)) + (counts,)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("with_variances", [True, False])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_proposals_are_those_of_the_plain_loop(options, with_variances, layout):
    scores, deltas, sizes, anchors, variances = random_inputs.network_output(2, 7, 6, 3, seed=50)
    variances = variances if with_variances else None
    expected = expected_proposals(scores, deltas, sizes, anchors, variances, options)
    if layout == "NCHW":
        scores, deltas = channels_first(scores), channels_first(deltas)
    rois, probs, counts, indices = detops.generate_proposals(
        scores, deltas, sizes, anchors, variances, layout=layout, return_anchor_indices=True, **options
    )
    assert rois.shape == (len(expected[0]), 4)
    assert probs.shape == (len(expected[0]), 1)
    assert [x.dtype for x in (rois, probs, counts, indices)] == [np.float32, np.float32, np.int32, np.int32]
    np.testing.assert_array_equal(indices, expected[2])
    np.testing.assert_array_equal(counts, expected[3])
    np.testing.assert_array_equal(probs[:, 0], expected[1])
    np.testing.assert_allclose(rois, expected[0], rtol=1e-6, atol=1e-5)


def test_layouts_have_the_same_bits():
    scores, deltas, sizes, anchors, variances = random_inputs.network_output(3, 6, 11, 5, seed=51)
    last = detops.generate_proposals(scores, deltas, sizes, anchors, variances)
    first = detops.generate_proposals(
        channels_first(scores), channels_first(deltas), sizes, anchors, variances, layout="NCHW"
    )
    for a, b in zip(last, first):
        np.testing.assert_array_equal(a, b)


def test_pixel_offset_is_off_unless_asked_for():
    inputs = random_inputs.network_output(1, 8, 8, 3, seed=52)
    usual = detops.generate_proposals(*inputs)[0]
    np.testing.assert_array_equal(usual, detops.generate_proposals(*inputs, pixel_offset=False)[0])
    assert not np.array_equal(usual, detops.generate_proposals(*inputs, pixel_offset=True)[0])


def test_counts_are_optional_as_in_paddle():
    inputs = random_inputs.network_output(2, 4, 4, 2, seed=53)
    rois, probs, _ = detops.generate_proposals(*inputs)
    without = detops.generate_proposals(*inputs, return_rois_num=False)
    np.testing.assert_array_equal(without[0], rois)
    np.testing.assert_array_equal(without[1], probs)
    assert all(x is None for x in without[2:])


def test_no_images():
    scores, deltas, sizes, anchors, variances = random_inputs.network_output(1, 4, 4, 2, seed=54)
    rois, probs, counts, indices = detops.generate_proposals(
        scores[:0], deltas[:0], sizes[:0], anchors, variances, return_anchor_indices=True
    )
    assert [x.shape for x in (rois, probs, counts, indices)] == [(0, 4), (0, 1), (0,), (0,)]
    assert [x.dtype for x in (rois, probs, counts, indices)] == [np.float32, np.float32, np.int32, np.int32]


def test_results_are_no_larger_than_they_have_to_be():
    """A few rows of a buffer for a million proposals would keep all of it alive."""
    inputs = random_inputs.network_output(1, 4, 4, 2, seed=55)
    rois, probs, _ = detops.generate_proposals(*inputs, post_nms_top_n=1_000_000)
    for result in (rois, probs):
        owner = result
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        assert owner.nbytes < 100_000
