# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The environment variables that record calls as case files."""

import os
import subprocess
import sys

CALLS = """
import detops
import numpy as np
boxes = np.array([[0, 0, 2, 2], [1, 1, 3, 3]], np.float32)
detops.bbox_overlaps(boxes, boxes)
detops.nms(boxes, np.array([0.5, 1], np.float32), 0.25)
"""


def record(folder, mode):
    """Makes two calls in a new process and returns its standard error."""
    environment = {
        **os.environ,
        "DETOPS_LOG_LEVEL": "error",  # the package logs nothing otherwise
        "MLUOP_GEN_CASE": mode,
        "MLUOP_GEN_CASE_DIR": str(folder),
    }
    done = subprocess.run(
        [sys.executable, "-c", CALLS], env=environment, check=True, capture_output=True, text=True
    )
    return done.stderr


def test_calls_are_recorded_with_their_data(tmp_path):
    assert record(tmp_path, "2") == ""
    (overlaps,) = tmp_path.glob("gen_case/bbox_overlaps/*.prototxt")
    assert 'value_h: ["00000000", "00000000", "40000000", "40000000"' in overlaps.read_text()
    (nms,) = tmp_path.glob("gen_case/detops_nms/*.prototxt")
    assert "iou_threshold: 0.25\n" in nms.read_text()


def test_calls_are_recorded_without_their_data(tmp_path):
    assert record(tmp_path, "1") == ""
    (overlaps,) = tmp_path.glob("gen_case/bbox_overlaps/*.prototxt")
    text = overlaps.read_text()
    assert "random_data" in text and "value_h" not in text


def test_calls_are_printed(tmp_path):
    lines = record(tmp_path, "3").splitlines()
    assert [line.split(" input ")[0] for line in lines] == [
        'detops info: bbox_overlaps: op_name: "bbox_overlaps"',
        'detops info: nms: op_name: "detops_nms"',
    ]
    assert not any(tmp_path.iterdir())


def test_nothing_is_recorded_by_default(tmp_path):
    assert record(tmp_path, "0") == ""
    assert not any(tmp_path.iterdir())
