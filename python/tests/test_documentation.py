# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The public names, signatures, docstrings and type stubs of the package."""

import ast
import importlib
import importlib.metadata
import inspect
import pathlib
import re
import sys

import detops
import numpy as np
import pytest

PACKAGE = pathlib.Path(detops.__file__).parent

SIGNATURES = {
    "bbox_overlaps": 'bboxes1, bboxes2, mode="iou", aligned=False, offset=0, *, out=None',
    "bbox_overlaps_row_maximum": 'bboxes1, bboxes2, mode="iou", offset=0',
    "bbox_overlaps_pairs": 'bboxes1, bboxes2, threshold, mode="iou", offset=0',
    "poly_nms": "dets, iou_threshold, *, groups=None, image_counts=None, score_threshold=None, max_outputs=None, "
    "sort_by_score=False, return_counts=False",
    "polygon_iou": "polygons1, polygons2, aligned=False, *, out=None",
    "nms": "boxes, scores, iou_threshold, *, offset=0, groups=None, image_counts=None, score_threshold=None, "
    "max_outputs=None, sort_by_score=True, return_counts=False",
    "batched_nms": "boxes, scores, idxs, iou_threshold",
    "generate_proposals": "scores, bbox_deltas, img_size, anchors, variances=None, pre_nms_top_n=6000, "
    "post_nms_top_n=1000, nms_thresh=0.5, min_size=0.1, eta=1.0, pixel_offset=False, return_rois_num=True, *, "
    'layout="NHWC", return_anchor_indices=False',
    "border_align": 'input, boxes, pool_size, *, layout="NHWC", return_argmax=False, out=None',
    "psroi_pool": 'input, rois, output_size, spatial_scale=1.0, *, layout="NHWC", rounding="before_scaling", '
    "return_mapping=False, out=None",
}
FUNCTIONS = list(SIGNATURES) + ["set_num_threads", "get_num_threads", "info"]


def stub_functions():
    """Returns all definitions of each function in the type stubs."""
    found = {}
    for path in PACKAGE.rglob("*.pyi"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
    return found


def parameters(arguments):
    """Returns (name, kind, default) of each parameter, without the types."""
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    pairs = [(a.arg, "positional", d) for a, d in zip(positional, defaults)]
    pairs += [(a.arg, "keyword", d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return [(name, kind, None if default is None else ast.unparse(default)) for name, kind, default in pairs]


def test_what_is_public_is_in_these_tests():
    assert {name for name in dir(detops) if name[0] != "_" and callable(getattr(detops, name))} == set(FUNCTIONS)


def test_types_are_marked():
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stubs_have_types(name):
    for definition in stub_functions()[name]:
        assert definition.returns is not None
        arguments = definition.args
        for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs:
            assert argument.annotation is not None, argument.arg


@pytest.mark.parametrize("name", SIGNATURES)
def test_stubs_have_the_signature(name):
    expected = parameters(ast.parse(f"def f({SIGNATURES[name]}): ...").body[0].args)
    for definition in stub_functions()[name]:
        assert [p[:2] for p in parameters(definition.args)] == [p[:2] for p in expected]
    assert any(parameters(definition.args) == expected for definition in stub_functions()[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stubs_agree_with_the_functions(name):
    signature = inspect.signature(getattr(detops, name))
    found = [
        (
            parameter.name,
            "keyword" if parameter.kind == parameter.KEYWORD_ONLY else "positional",
            None if parameter.default is parameter.empty else repr(parameter.default),
        )
        for parameter in signature.parameters.values()
    ]
    definitions = [parameters(definition.args) for definition in stub_functions()[name]]
    assert found in definitions
    for definition in definitions:  # an overload may lack a default
        assert [p[:2] for p in definition] == [p[:2] for p in found]
        assert all(a[2] in (None, b[2]) for a, b in zip(definition, found))


def test_arguments_have_their_names():
    boxes = np.array([[0, 0, 2, 2], [10, 10, 12, 12]], np.float32)
    dets = np.hstack([boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]], [[1], [2]]])
    detops.bbox_overlaps(bboxes1=boxes, bboxes2=boxes, mode="iof", aligned=True, offset=1, out=None)
    detops.bbox_overlaps_row_maximum(bboxes1=boxes, bboxes2=boxes, mode="iou", offset=0)
    detops.bbox_overlaps_pairs(bboxes1=boxes, bboxes2=boxes, threshold=0.5, mode="iou", offset=0)
    detops.polygon_iou(polygons1=dets, polygons2=dets, aligned=True, out=None)
    detops.batched_nms(boxes=boxes, scores=[1, 2], idxs=[0, 0], iou_threshold=0.5)
    options = dict(
        groups=None, image_counts=None, score_threshold=None, max_outputs=None, sort_by_score=True, return_counts=False
    )
    np.testing.assert_array_equal(
        detops.nms(boxes=boxes, scores=[1, 2], iou_threshold=0.5, offset=0, **options), [1, 0]
    )
    np.testing.assert_array_equal(detops.poly_nms(dets=dets, iou_threshold=0.5, **options), [1, 0])
    features, rois = np.ones((1, 4, 4, 4), np.float32), [[0, 0, 0, 1, 1]]
    detops.border_align(input=features, boxes=boxes[None], pool_size=2, layout="NHWC", return_argmax=False, out=None)
    detops.psroi_pool(
        input=features,
        rois=rois,
        output_size=2,
        spatial_scale=1.0,
        layout="NHWC",
        rounding="after_scaling",
        return_mapping=False,
        out=None,
    )


def test_version_and_info():
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", detops.__version__)
    assert importlib.metadata.version("detops") == detops.__version__
    info = detops.info()
    assert isinstance(info, dict)
    assert info["version"] == detops.__version__
    assert info["threads"] == detops.get_num_threads()
    assert info["cores"] >= 1
    assert info["simd_target"] in info["simd_targets"]


def test_package_needs_nothing_but_numpy():
    requirements = importlib.metadata.requires("detops") or []
    needed = [re.match(r"[\w-]+", r).group().lower() for r in requirements if "extra ==" not in r]
    assert needed == ["numpy"]


def test_torch_is_optional(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "detops.torch", raising=False)
    with pytest.raises(ImportError, match="PyTorch"):
        importlib.import_module("detops.torch")
