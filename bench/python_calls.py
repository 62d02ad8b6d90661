#!/usr/bin/env python3
# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Times small calls from Python: the same arrays as NumPy's and as those of the libraries that are installed, and the same operators of these
libraries. All of them run in turns in one process; the times are medians of single calls.

    python bench/python_calls.py [--seconds 5] [--json FILE]
"""

import argparse
import importlib
import json
import statistics
import sys
import time

import detops
import numpy as np

CALLS_IN_TURN = 20


def boxes_and_scores(count):
    rng = np.random.default_rng(1)
    corners = rng.uniform(0, 500, (count, 2))
    boxes = np.hstack([corners, corners + rng.uniform(10, 100, (count, 2))]).astype(np.float32)
    return boxes, rng.uniform(0, 1, count).astype(np.float32)


def proposal_inputs(size):
    """Scores, deltas, image size, anchors and variances of a map of size x size positions with three anchors, channels first."""
    rng = np.random.default_rng(2)
    centers = np.stack(np.meshgrid(np.arange(size), np.arange(size)), -1)[:, :, None, :] * 16.0 + 8
    halves = np.array([[32, 32], [45, 23], [23, 45]]) / 2.0
    anchors = np.concatenate([centers - halves, centers + halves], -1).astype(np.float32)
    return (
        rng.uniform(0, 1, (1, 3, size, size)).astype(np.float32),
        rng.normal(0, 0.2, (1, 12, size, size)).astype(np.float32),
        np.array([[16 * size, 16 * size]], np.float32),
        anchors,
        np.ones_like(anchors),
    )


def nms(boxes, scores):
    return detops.nms(boxes, scores, 0.5)


def generate_proposals(*arrays):
    return detops.generate_proposals(*arrays, layout="NCHW")


WORK = {
    "nms 100": (nms, boxes_and_scores(100)),
    "bbox_overlaps 16 x 16": (detops.bbox_overlaps, (boxes_and_scores(16)[0],) * 2),
    "generate_proposals 6 x 6 x 3": (generate_proposals, proposal_inputs(6)),
    "generate_proposals 11 x 11 x 3": (generate_proposals, proposal_inputs(11)),
}


def paddle_functions(paddle):
    ops = paddle.vision.ops
    proposals = lambda *arrays: ops.generate_proposals(*arrays, return_rois_num=True)  # noqa: E731
    return {
        "nms 100": lambda boxes, scores: ops.nms(boxes, 0.5, scores),
        "generate_proposals 6 x 6 x 3": proposals,
        "generate_proposals 11 x 11 x 3": proposals,
    }


def torch_functions(_):
    try:
        ops = importlib.import_module("torchvision.ops")
    except ImportError:
        print("torchvision is not installed: its operators are left out")
        return {}
    return {"nms 100": lambda boxes, scores: ops.nms(boxes, scores, 0.5), "bbox_overlaps 16 x 16": ops.box_iou}


# Per library: how it makes an array of NumPy's, and its own functions for the work above.
LIBRARIES = {
    "torch": (lambda torch, array: torch.from_numpy(array.copy()), torch_functions),
    "paddle": (lambda paddle, array: paddle.to_tensor(array), paddle_functions),
    "jax": (lambda jax, array: jax.numpy.asarray(array), lambda jax: {}),
}


def installed():
    for name, (convert, functions) in LIBRARIES.items():
        try:
            module = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: its arrays are left out")
            continue
        print(f"{name} {module.__version__}")
        yield name, lambda array, module=module, convert=convert: convert(module, array), functions(module)


def contenders(work, libraries):
    """Returns a function without arguments per contender."""
    call, arrays = WORK[work]
    result = {"detops, numpy": lambda: call(*arrays)}
    for name, convert, functions in libraries:
        converted = [convert(array) for array in arrays]
        result[f"detops, {name}"] = lambda converted=converted: call(*converted)
        if work in functions:
            result[f"{name}'s own"] = lambda function=functions[work], converted=converted: function(*converted)
    return result


def microseconds(functions, seconds):
    """Returns the median time of each function, in microseconds."""
    samples = {name: [] for name in functions}
    for function in functions.values():
        for _ in range(CALLS_IN_TURN):
            function()
    clock = time.perf_counter_ns
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, function in functions.items():
            times = samples[name]
            for _ in range(CALLS_IN_TURN):
                begin = clock()
                function()
                times.append(clock() - begin)
    return {name: statistics.median(times) / 1000 for name, times in samples.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="time per operator")
    parser.add_argument("--json", help="file for the results")
    options = parser.parse_args()
    print(f"detops {detops.__version__}, numpy {np.__version__}, Python {sys.version.split()[0]}")
    libraries = list(installed())
    results = {}
    for work in WORK:
        results[work] = microseconds(contenders(work, libraries), options.seconds)
        for name, median in results[work].items():
            print(f"{work:32} {name:20} {median:8.2f} us")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=2)


if __name__ == "__main__":
    main()
