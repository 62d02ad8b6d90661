# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Wrong arguments raise an exception whose message is one line: the argument, its value, and what is valid."""

import mmap
import os
import subprocess
import sys

import detops
import numpy as np
import pytest
import random_inputs
from operations import OPERATIONS, name_of

BOXES = random_inputs.boxes(3, 80)
SCORES = random_inputs.scores(3, 81)
DETS = random_inputs.rotated_rectangles(3, 82)
FEATURES = np.ones((2, 5, 6, 8), np.float32)
BORDER_BOXES = np.ones((2, 3, 4), np.float32)
ROIS = np.array([[0, 0, 0, 3, 3]], np.float32)
PROPOSALS = random_inputs.network_output(2, 3, 4, 2, seed=83)


def proposals(**changes):
    arguments = dict(zip(["scores", "bbox_deltas", "img_size", "anchors", "variances"], PROPOSALS))
    arguments.update(changes)
    return detops.generate_proposals(**arguments)


def zeros(*shape):
    return np.zeros(shape, np.float32)


def wrong_rank(argument, rank):
    return rf"{argument} has shape \w+\[.*\]; it must have rank {rank}$"


def wrong_dimension(argument, shape, index, size):
    """The message about dimension `index`, which must be `size`."""
    return rf"{argument} has shape \w+\[{shape}\]; dimension {index} must be {size}( \(.*\))?$"


VALUE_ERRORS = {
    "bbox1 of five": (
        lambda: detops.bbox_overlaps(zeros(3, 5), BOXES),
        "^bbox_overlaps: " + wrong_dimension("bboxes1", "3,5", 1, 4),
    ),
    "bbox2 of three": (
        lambda: detops.bbox_overlaps(BOXES, zeros(2, 3)),
        "^bbox_overlaps: " + wrong_dimension("bboxes2", "2,3", 1, 4),
    ),
    "boxes of rank 1": (
        lambda: detops.bbox_overlaps(zeros(4), BOXES),
        "^bbox_overlaps: " + wrong_rank("bboxes1", 2),
    ),
    "boxes of rank 3": (lambda: detops.bbox_overlaps(BOXES, zeros(2, 1, 4)), wrong_rank("bboxes2", 2)),
    "a number for boxes": (lambda: detops.bbox_overlaps(BOXES, np.float32(1)), "rank"),
    "aligned lengths": (lambda: detops.bbox_overlaps(BOXES, BOXES[:2], aligned=True), r"bboxes2 .*\[2,4\].*\b3\b"),
    "aligned, one empty": (lambda: detops.bbox_overlaps(BOXES, [], aligned=True), r"bboxes2 .*\[0,4\].*\b3\b"),
    "mode": (lambda: detops.bbox_overlaps(BOXES, BOXES, mode="giou"), "mode is 'giou'; it must be 'iou' or 'iof'$"),
    "mode in another case": (lambda: detops.bbox_overlaps(BOXES, BOXES, mode="IOU"), "mode is .?IOU"),
    "empty mode": (lambda: detops.bbox_overlaps_row_maximum(BOXES, BOXES, mode=""), "mode"),
    "offset 2": (lambda: detops.bbox_overlaps(BOXES, BOXES, offset=2), "offset is 2; it must be 0 to 1$"),
    "offset -1": (lambda: detops.bbox_overlaps_pairs(BOXES, BOXES, 0.5, offset=-1), "offset is -1; it must be 0 to 1$"),
    "row maximum of five": (lambda: detops.bbox_overlaps_row_maximum(BOXES, zeros(3, 5)), wrong_dimension("bboxes2", "3,5", 1, 4)),
    "NaN threshold of pairs": (lambda: detops.bbox_overlaps_pairs(BOXES, BOXES, np.nan), "threshold is (NaN|nan)"),
    "dets of eight": (lambda: detops.poly_nms(zeros(3, 8), 0.5), wrong_dimension("dets", "3,8", 1, 9)),
    "dets of rank 1": (lambda: detops.poly_nms(zeros(9), 0.5), wrong_rank("dets", 2)),
    "NaN threshold": (lambda: detops.poly_nms(DETS, np.nan), "iou_threshold is nan"),
    "negative threshold": (lambda: detops.poly_nms(DETS, -0.1), r"iou_threshold is -0\.1"),
    "poly_nms groups": (lambda: detops.poly_nms(DETS, 0.5, groups=[0, 1]), "groups"),
    "poly_nms image counts": (lambda: detops.poly_nms(DETS, 0.5, image_counts=[1, 1]), "image_counts add up to 2"),
    "polygons of seven": (lambda: detops.polygon_iou(zeros(2, 7), DETS), "8 or 9"),
    "aligned polygons": (lambda: detops.polygon_iou(DETS, DETS[:2], aligned=True), "polygons2"),
    "nms threshold": (lambda: detops.nms(BOXES, SCORES, -1), "iou_threshold is -1"),
    "nms NaN threshold": (lambda: detops.nms(BOXES, SCORES, np.nan), "iou_threshold is nan"),
    "scores too short": (lambda: detops.nms(BOXES, SCORES[:2], 0.5), wrong_dimension("scores", "2", 0, 3)),
    "scores of rank 2": (lambda: detops.nms(BOXES, SCORES[:, None], 0.5), wrong_rank("scores", 1)),
    "nms boxes of five": (lambda: detops.nms(zeros(3, 5), SCORES, 0.5), wrong_dimension("boxes", "3,5", 1, 4)),
    "nms offset": (lambda: detops.nms(BOXES, SCORES, 0.5, offset=3), "offset is 3"),
    "groups too long": (lambda: detops.nms(BOXES, SCORES, 0.5, groups=[0, 1, 2, 3]), wrong_dimension("groups", "4", 0, 3)),
    "groups of rank 2": (lambda: detops.nms(BOXES, SCORES, 0.5, groups=[[0], [1], [2]]), wrong_rank("groups", 1)),
    "negative image count": (lambda: detops.nms(BOXES, SCORES, 0.5, image_counts=[4, -1]), r"image_counts\[1\] is -1"),
    "NaN score threshold": (lambda: detops.nms(BOXES, SCORES, 0.5, score_threshold=np.nan), "score_threshold is (NaN|nan)"),
    "negative limit": (lambda: detops.nms(BOXES, SCORES, 0.5, max_outputs=-1), "max_outputs is -1"),
    "idxs too short": (lambda: detops.batched_nms(BOXES, SCORES, [1, 2], 0.5), "^batched_nms: " + wrong_dimension("idxs", "2", 0, 3)),
    "deltas": (lambda: proposals(bbox_deltas=zeros(2, 3, 4, 7)), wrong_dimension("bbox_deltas", "2,3,4,7", 3, 8)),
    "image sizes": (lambda: proposals(img_size=zeros(3, 2)), wrong_dimension("img_size", "3,2", 0, 2)),
    "image sizes of three": (lambda: proposals(img_size=zeros(2, 3)), wrong_dimension("img_size", "2,3", 1, 2)),
    "anchors": (lambda: proposals(anchors=zeros(3, 4, 2, 5)), wrong_dimension("anchors", "3,4,2,5", 3, 4)),
    "anchors of rank 2": (lambda: proposals(anchors=zeros(24, 4)), wrong_rank("anchors", 4)),
    "variances": (lambda: proposals(variances=zeros(3, 4, 3, 4)), wrong_dimension("variances", "3,4,3,4", 2, 2)),
    "scores of rank 3": (lambda: proposals(scores=zeros(2, 3, 4)), wrong_rank("scores", 4)),
    "no anchors": (lambda: proposals(scores=zeros(2, 3, 4, 0), bbox_deltas=zeros(2, 3, 4, 0)), r"scores has shape float\[2,3,4,0\]; H, W and A must be at least 1$"),
    "eta": (lambda: proposals(eta=0.9), r"eta is 0\.9"),
    "NaN eta": (lambda: proposals(eta=np.nan), "eta is nan"),
    "nms_thresh": (lambda: proposals(nms_thresh=0.0), "nms_thresh is 0"),
    "NaN min_size": (lambda: proposals(min_size=np.nan), "min_size is nan"),
    "post_nms_top_n": (lambda: proposals(post_nms_top_n=0), "post_nms_top_n is 0"),
    "negative post_nms_top_n": (lambda: proposals(post_nms_top_n=-5), "post_nms_top_n is -5"),
    "proposals' layout": (lambda: proposals(layout="HWCN"), "layout is 'HWCN'; it must be 'NHWC' or 'NCHW'$"),
    "wrong layout": (lambda: proposals(layout="NCHW"), "must be"),
    "pool_size": (lambda: detops.border_align(FEATURES, BORDER_BOXES, 0), "pool_size is 0"),
    "channels": (lambda: detops.border_align(zeros(2, 5, 6, 7), BORDER_BOXES, 3), "multiple of 4"),
    "boxes of five": (lambda: detops.border_align(FEATURES, zeros(2, 3, 5), 3), wrong_dimension("boxes", "2,3,5", 2, 4)),
    "boxes of other images": (lambda: detops.border_align(FEATURES, zeros(3, 3, 4), 3), wrong_dimension("boxes", "3,3,4", 0, 2)),
    "features of rank 3": (lambda: detops.border_align(FEATURES[0], BORDER_BOXES, 3), wrong_rank("input", 4)),
    "flat boxes": (lambda: detops.border_align(FEATURES, BOXES, 3), wrong_rank("boxes", 3)),
    "border_align's layout": (
        lambda: detops.border_align(FEATURES, BORDER_BOXES, 3, layout="nhwc"),
        "layout is .?nhwc",
    ),
    "output_size": (lambda: detops.psroi_pool(FEATURES, ROIS, 3), "input has shape float"),
    "output_size a pair": (lambda: detops.psroi_pool(FEATURES, ROIS, (2, 3)), r"output_size is \(2, 3\); "),
    "output_size 0": (lambda: detops.psroi_pool(FEATURES, ROIS, 0), " is 0"),
    "spatial_scale": (lambda: detops.psroi_pool(FEATURES, ROIS, 2, 0.0), "spatial_scale is 0"),
    "NaN spatial_scale": (lambda: detops.psroi_pool(FEATURES, ROIS, 2, np.nan), "spatial_scale is nan"),
    "negative spatial_scale": (lambda: detops.psroi_pool(FEATURES, ROIS, 2, -1.0), "spatial_scale is -1"),
    "rois of four": (lambda: detops.psroi_pool(FEATURES, BOXES, 2), wrong_dimension("rois", "3,4", 1, 5)),
    "rois of rank 1": (lambda: detops.psroi_pool(FEATURES, ROIS[0], 2), wrong_rank("rois", 2)),
    "rounding": (lambda: detops.psroi_pool(FEATURES, ROIS, 2, rounding="up"), "rounding is .?up"),
    "psroi_pool's layout": (lambda: detops.psroi_pool(FEATURES, ROIS, 2, layout=""), "layout"),
    "threads": (lambda: detops.set_num_threads(-1), "-1"),
}


@pytest.mark.parametrize("call, message", VALUE_ERRORS.values(), ids=VALUE_ERRORS.keys())
def test_value_errors(call, message):
    with pytest.raises(ValueError, match=message) as error:
        call()
    assert "\n" not in str(error.value)


def test_nine_dimensions():
    with pytest.raises(ValueError):
        detops.bbox_overlaps(zeros(*[1] * 8, 4), BOXES)


OTHER_TYPES = {
    "complex": np.complex64,
    "object": object,
    "str": "U8",
    "bytes": "S8",
    "datetime": "datetime64[s]",
    "record": [("x", "f4")],
    "void": "V4",
}


@pytest.mark.parametrize("dtype", OTHER_TYPES.values(), ids=OTHER_TYPES.keys())
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_arrays_of_other_types(operation, dtype):
    for i, array in enumerate(operation.arrays):
        arrays = list(operation.arrays)
        arrays[i] = np.zeros(array.shape, dtype)
        with pytest.raises(TypeError) as error:
            operation(*arrays)
        assert str(error.value) and "\n" not in str(error.value)


NOT_ARRAYS = [None, "boxes", object(), {1: 2}, {1.0, 2.0}, lambda: 0, [["a"]], [[None]], [[1, 2], [3]], iter([1])]


@pytest.mark.parametrize("thing", NOT_ARRAYS, ids=repr)
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_objects_that_are_not_arrays(operation, thing):
    for i in range(len(operation.arrays)):
        if operation.name == "generate_proposals" and i == 4 and thing is None:
            continue  # variances are optional
        arrays = list(operation.arrays)
        arrays[i] = thing
        with pytest.raises((TypeError, ValueError)):
            operation(*arrays)


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_none_is_a_type_error(operation):
    with pytest.raises(TypeError):
        operation(None, *operation.arrays[1:])


WRONG_PARAMETERS = {
    "threshold None": lambda: detops.poly_nms(DETS, None),
    "threshold str": lambda: detops.nms(BOXES, SCORES, "0.5"),
    "threshold array": lambda: detops.nms(BOXES, SCORES, np.array([0.1, 0.2])),
    "threshold complex": lambda: detops.bbox_overlaps_pairs(BOXES, BOXES, 1j),
    "threshold missing": lambda: detops.poly_nms(DETS),
    "mode None": lambda: detops.bbox_overlaps(BOXES, BOXES, mode=None),
    "mode number": lambda: detops.bbox_overlaps(BOXES, BOXES, mode=0),
    "mode bytes": lambda: detops.bbox_overlaps(BOXES, BOXES, mode=b"iou"),
    "layout None": lambda: detops.border_align(FEATURES, BORDER_BOXES, 2, layout=None),
    "offset str": lambda: detops.bbox_overlaps(BOXES, BOXES, offset="0"),
    "offset fraction": lambda: detops.bbox_overlaps(BOXES, BOXES, offset=0.5),
    "pool_size fraction": lambda: detops.border_align(FEATURES, BORDER_BOXES, 2.5),
    "pool_size huge": lambda: detops.border_align(FEATURES, BORDER_BOXES, 2**40),
    "output_size None": lambda: detops.psroi_pool(FEATURES, ROIS, None),
    "output_size of three": lambda: detops.psroi_pool(FEATURES, ROIS, (2, 2, 2)),
    "max_outputs huge": lambda: detops.nms(BOXES, SCORES, 0.5, max_outputs=2**80),
    "unknown option": lambda: detops.nms(BOXES, SCORES, 0.5, iou=0.5),
    "options by position": lambda: detops.nms(BOXES, SCORES, 0.5, 0),
    "groups of fractions": lambda: detops.nms(BOXES, SCORES, 0.5, groups=[0.5, 1.5, 2.5]),
    "groups of strings": lambda: detops.nms(BOXES, SCORES, 0.5, groups=["a", "b", "c"]),
    "image_counts of fractions": lambda: detops.nms(BOXES, SCORES, 0.5, image_counts=[1.5, 1.5]),
    "threads None": lambda: detops.set_num_threads(None),
    "threads str": lambda: detops.set_num_threads("2"),
    "threads fraction": lambda: detops.set_num_threads(1.5),
    "threads huge": lambda: detops.set_num_threads(2**40),
}


@pytest.mark.parametrize("call", WRONG_PARAMETERS.values(), ids=WRONG_PARAMETERS.keys())
def test_wrong_parameters(call):
    with pytest.raises((TypeError, ValueError)):
        call()


@pytest.mark.parametrize("number", [np.float32(0.5), np.float64(0.5), np.float16(0.5)], ids=lambda x: type(x).__name__)
def test_parameters_may_be_numpy_scalars(number):
    np.testing.assert_array_equal(detops.poly_nms(DETS, number), detops.poly_nms(DETS, 0.5))
    np.testing.assert_array_equal(detops.nms(BOXES, SCORES, number), detops.nms(BOXES, SCORES, 0.5))
    expected = detops.bbox_overlaps(BOXES, BOXES, offset=1)
    np.testing.assert_array_equal(detops.bbox_overlaps(BOXES, BOXES, offset=np.int64(1)), expected)


@pytest.mark.parametrize("aligned", [False, True])
def test_parameters_may_be_numpy_bools(aligned):
    result = detops.bbox_overlaps(BOXES, BOXES, aligned=np.bool_(aligned))
    np.testing.assert_array_equal(result, detops.bbox_overlaps(BOXES, BOXES, aligned=aligned))


def test_doubles_beyond_the_range_of_float_become_infinite():
    boxes = np.array([[0, 0, 1e300, 1], [0, 0, -1e300, 1], [0, 0, 1e-300, 1]])
    with np.errstate(over="ignore"):
        as_floats = boxes.astype(np.float32)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, boxes), detops.bbox_overlaps(as_floats, as_floats))


def test_too_many_elements():
    """2^31 elements, in mapped memory that is never touched and therefore costs nothing."""
    boxes_count = 2**29
    with mmap.mmap(-1, boxes_count * 16, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ) as memory:
        boxes = np.frombuffer(memory, np.float32).reshape(boxes_count, 4)
        with pytest.raises(ValueError, match=r"bboxes1 has shape float\[536870912,4\]; it must have fewer than 2\^31 elements$"):
            detops.bbox_overlaps(boxes, np.zeros((0, 4), np.float32))
        del boxes


# The workspace of nms takes about 200 bytes per box, more than the process may have.
MEMORY_PROGRAM = """
import resource
import detops, numpy as np

boxes, scores = np.tile(np.array([0, 0, 1, 1], np.float32), (2_000_000, 1)), np.ones(2_000_000, np.float32)
detops.set_num_threads(1)
detops.nms(boxes[:10], scores[:10], 0.5)
with open("/proc/self/statm") as pages:
    used = int(pages.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 150_000_000, resource.RLIM_INFINITY))
try:
    detops.nms(boxes, scores, 0.5)
except MemoryError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(len(detops.nms(boxes, scores, 0.5)))
"""


def test_running_out_of_memory_is_a_memory_error():
    run = subprocess.run([sys.executable, "-c", MEMORY_PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout == "nms: out of memory\n1\n"


def test_too_large_a_result():
    boxes = zeros(65536, 4)
    with pytest.raises((ValueError, MemoryError)):
        detops.bbox_overlaps(boxes, boxes)


def test_a_failed_call_changes_nothing_for_the_next():
    expected = detops.bbox_overlaps(BOXES, BOXES)
    for _ in range(3):
        with pytest.raises(ValueError):
            detops.bbox_overlaps(zeros(3, 5), BOXES)
        np.testing.assert_array_equal(detops.bbox_overlaps(BOXES, BOXES), expected)


FAILING_PROGRAM = """
import detops
try:
    detops.bbox_overlaps([[0]], [])
except ValueError:
    print("raised")
"""


@pytest.mark.parametrize("level, lines", [(None, 0), ("", 0), ("off", 0), ("error", 1)])
def test_failures_are_logged_on_request(level, lines):
    environment = {name: value for name, value in os.environ.items() if name != "DETOPS_LOG_LEVEL"}
    if level is not None:
        environment["DETOPS_LOG_LEVEL"] = level
    program = [sys.executable, "-c", FAILING_PROGRAM]
    run = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "raised\n"
    assert len(run.stderr.splitlines()) == lines


def test_failures_print_nothing(capfd):
    with pytest.raises(ValueError):
        detops.bbox_overlaps(zeros(3, 5), BOXES)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""
