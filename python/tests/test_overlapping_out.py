# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The argument `out` must not share memory with an input or with another output."""

import array_kinds
import detops
import numpy as np
import pytest
from operations import WITH_OUT, name_of

SENTINEL = -77
INPUT_NAMES = {
    "bbox_overlaps": ["bboxes1", "bboxes2"],
    "bbox_overlaps_aligned": ["bboxes1", "bboxes2"],
    "polygon_iou": ["polygons1", "polygons2"],
    "border_align": ["input", "boxes"],
    "psroi_pool": ["input", "rois"],
}
TWO_RESULTS = [("border_align", "return_argmax"), ("psroi_pool", "return_mapping")]


def operation_named(name):
    return next(o for o in WITH_OUT if o.name == name)


def place(memory, offset, array):
    """Copies the array to an offset, in bytes, of the memory."""
    placed = memory[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape)
    placed[...] = array
    return placed


def neighbors(operation, which, gap):
    """Returns the arrays of a call whose input `which` ends `gap` bytes before `out` begins, and `out`."""
    (expected,) = operation(*operation.arrays)
    array = operation.arrays[which]
    memory = np.zeros(array.nbytes + expected.nbytes + abs(gap), np.uint8)
    out = place(memory, array.nbytes + gap, np.full_like(expected, SENTINEL))
    arrays = list(operation.arrays)
    arrays[which] = place(memory, 0, array)
    return arrays, out, expected


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_neighbors_are_accepted(operation, which):
    arrays, out, expected = neighbors(operation, which, 0)
    assert operation(*arrays, out=out)[0] is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("change", [lambda a: a, array_kinds.WithDLPack], ids=["NumPy", "DLPack"])
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_an_overlap_of_one_number_is_refused(operation, which, change):
    arrays, out, _ = neighbors(operation, which, -4)
    before = arrays[which].copy()
    arrays[which] = change(arrays[which])
    name = INPUT_NAMES[operation.name][which]
    with pytest.raises(ValueError, match=f"^out overlaps {name} in memory; it must have memory of its own$"):
        operation(*arrays, out=out)
    np.testing.assert_array_equal(operation.arrays[which].reshape(-1)[:-1], before.reshape(-1)[:-1])
    assert (out == SENTINEL).sum() >= out.size - 1


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_an_input_as_out_is_refused(operation):
    """Inputs that are converted are refused, too: whether a call works does not depend on types and strides."""
    (expected,) = operation(*operation.arrays)
    for i, array in enumerate(operation.arrays):
        memory = np.zeros(max(2 * array.nbytes, expected.nbytes), np.uint8)
        out = memory[: expected.nbytes].view(expected.dtype).reshape(expected.shape)
        for placed in [place(memory, 0, array), place(memory, 0, array.astype(np.float64)), place(memory, 0, array.T).T]:
            arrays = list(operation.arrays)
            arrays[i] = placed
            with pytest.raises(ValueError, match=f"^out overlaps {INPUT_NAMES[operation.name][i]} in memory"):
                operation(*arrays, out=out)


def test_an_out_between_the_rows_of_an_input():
    """The memory of a strided array is the memory of its elements, not of the gaps."""
    memory = np.zeros((6, 4), np.float32)
    boxes = memory[::2]
    boxes[...] = [[0, 0, 2, 2], [1, 1, 3, 3], [0, 0, 1, 1]]
    expected = detops.bbox_overlaps(boxes[:2], boxes[:2])
    out = memory[1].reshape(2, 2)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes[:2], boxes[:2], out=out), expected)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes[1::-1], boxes[:2], out=out), expected[::-1])
    with pytest.raises(ValueError, match="^out overlaps bboxes1 in memory"):
        detops.bbox_overlaps(memory[:2], boxes[:2], out=out)
    with pytest.raises(ValueError, match="^out overlaps bboxes2 in memory"):
        detops.bbox_overlaps(boxes[:2], memory[2:0:-1], out=out)
    with pytest.raises(ValueError, match="^out overlaps bboxes1 in memory"):
        detops.bbox_overlaps(boxes[:2], boxes[:2], out=memory.reshape(-1)[2:6].reshape(2, 2))


@pytest.mark.parametrize("name, option", TWO_RESULTS)
def test_two_results(name, option):
    operation = operation_named(name)
    values, indices = operation(*operation.arrays, **{option: True})
    memory = np.zeros(values.nbytes + indices.nbytes, np.uint8)
    first = place(memory, 0, np.full_like(values, SENTINEL))
    second = place(memory, values.nbytes, np.full_like(indices, SENTINEL))
    found = operation(*operation.arrays, **{option: True}, out=(first, second))
    np.testing.assert_array_equal(found[0], values)
    np.testing.assert_array_equal(found[1], indices)
    memory.fill(0)
    overlapping = memory[values.nbytes - 4 : -4].view(indices.dtype).reshape(indices.shape)
    with pytest.raises(ValueError, match=r"^out\[0\] overlaps out\[1\] in memory; each must have memory of its own$"):
        operation(*operation.arrays, **{option: True}, out=(first, overlapping))
    assert not memory.any()


@pytest.mark.parametrize("name, option", TWO_RESULTS)
def test_the_second_result_and_an_input(name, option):
    operation = operation_named(name)
    values, indices = operation(*operation.arrays, **{option: True})
    for i, array in enumerate(operation.arrays):
        memory = np.zeros(max(array.nbytes, indices.nbytes), np.uint8)
        arrays = list(operation.arrays)
        arrays[i] = place(memory, 0, array)
        out = (np.empty_like(values), memory[: indices.nbytes].view(indices.dtype).reshape(indices.shape))
        with pytest.raises(ValueError, match=rf"^out\[1\] overlaps {INPUT_NAMES[name][i]} in memory"):
            operation(*arrays, **{option: True}, out=out)


def test_arrays_without_elements_overlap_nothing():
    boxes = np.zeros((3, 4), np.float32)
    out = boxes[:0, :3]
    assert detops.bbox_overlaps(boxes[:0], boxes[:, :4], out=out.reshape(0, 3)).shape == (0, 3)
