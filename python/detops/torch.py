# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The operators as PyTorch custom operators.

Importing this module registers each operator in the namespace ``detops`` with a schema, a CPU implementation and a shape function, so that
``torch.compile`` and ``torch.export`` treat it as a single node:

    import torch
    import detops.torch

    keep, counts = torch.ops.detops.nms(boxes, scores, 0.5)

They return all results (including counts, sample numbers and channels) and have no argument ``out``. There are no gradients. The functions of
``detops`` itself accept tensors without this module.
"""

from typing import Optional, Tuple

import detops

try:
    import torch
except ImportError as error:
    raise ImportError("detops.torch needs PyTorch, which cannot be imported; the rest of detops does not need it") from error
if not hasattr(torch.library, "custom_op"):
    raise ImportError(f"PyTorch is version {torch.__version__}; detops.torch needs 2.4 or newer")

from torch import Tensor


def _operator(function):
    return torch.library.custom_op(f"detops::{function.__name__}", mutates_args=(), device_types="cpu")(function)


def _plain(tensor: Optional[Tensor]) -> Optional[Tensor]:
    """Returns the tensor without its gradient and in a type that detops accepts."""
    if tensor is None:
        return None
    tensor = tensor.detach()
    return tensor.float() if tensor.dtype == torch.bfloat16 else tensor


def _result_type(first: Tensor, second: Tensor) -> torch.dtype:
    return torch.float16 if first.dtype == second.dtype == torch.float16 else torch.float32


def _unknown_size() -> torch.SymInt:
    return torch.library.get_ctx().new_dynamic_size()


def _indices(tensor: Tensor, *shape) -> Tensor:
    return tensor.new_empty(shape, dtype=torch.int32)


def _floats(tensor: Tensor, *shape) -> Tensor:
    return tensor.new_empty(shape, dtype=torch.float32)


@_operator
def bbox_overlaps(
    bboxes1: Tensor, bboxes2: Tensor, mode: str = "iou", aligned: bool = False, offset: int = 0
) -> Tensor:
    return detops.bbox_overlaps(_plain(bboxes1), _plain(bboxes2), mode, aligned, offset)


@bbox_overlaps.register_fake
def _(bboxes1, bboxes2, mode="iou", aligned=False, offset=0):
    shape = (bboxes1.shape[0],) if aligned else (bboxes1.shape[0], bboxes2.shape[0])
    return bboxes1.new_empty(shape, dtype=_result_type(bboxes1, bboxes2))


@_operator
def bbox_overlaps_row_maximum(
    bboxes1: Tensor, bboxes2: Tensor, mode: str = "iou", offset: int = 0
) -> Tuple[Tensor, Tensor]:
    return detops.bbox_overlaps_row_maximum(_plain(bboxes1), _plain(bboxes2), mode, offset)


@bbox_overlaps_row_maximum.register_fake
def _(bboxes1, bboxes2, mode="iou", offset=0):
    return _floats(bboxes1, bboxes1.shape[0]), _indices(bboxes1, bboxes1.shape[0])


@_operator
def bbox_overlaps_pairs(
    bboxes1: Tensor, bboxes2: Tensor, threshold: float, mode: str = "iou", offset: int = 0
) -> Tuple[Tensor, Tensor]:
    return detops.bbox_overlaps_pairs(_plain(bboxes1), _plain(bboxes2), threshold, mode, offset)


@bbox_overlaps_pairs.register_fake
def _(bboxes1, bboxes2, threshold, mode="iou", offset=0):
    pairs = _unknown_size()
    return _indices(bboxes1, pairs, 2), _floats(bboxes1, pairs)


@_operator
def nms(
    boxes: Tensor,
    scores: Tensor,
    iou_threshold: float,
    offset: int = 0,
    groups: Optional[Tensor] = None,
    image_counts: Optional[Tensor] = None,
    score_threshold: Optional[float] = None,
    max_outputs: Optional[int] = None,
    sort_by_score: bool = True,
) -> Tuple[Tensor, Tensor]:
    return detops.nms(
        _plain(boxes),
        _plain(scores),
        iou_threshold,
        offset=offset,
        groups=_plain(groups),
        image_counts=_plain(image_counts),
        score_threshold=score_threshold,
        max_outputs=max_outputs,
        sort_by_score=sort_by_score,
        return_counts=True,
    )


@nms.register_fake
def _(
    boxes,
    scores,
    iou_threshold,
    offset=0,
    groups=None,
    image_counts=None,
    score_threshold=None,
    max_outputs=None,
    sort_by_score=True,
):
    images = 1 if image_counts is None else image_counts.shape[0]
    return _indices(boxes, _unknown_size()), _indices(boxes, images)


@_operator
def batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: float) -> Tensor:
    return detops.batched_nms(_plain(boxes), _plain(scores), _plain(idxs), iou_threshold)


@batched_nms.register_fake
def _(boxes, scores, idxs, iou_threshold):
    return _indices(boxes, _unknown_size())


@_operator
def poly_nms(
    dets: Tensor,
    iou_threshold: float,
    groups: Optional[Tensor] = None,
    image_counts: Optional[Tensor] = None,
    score_threshold: Optional[float] = None,
    max_outputs: Optional[int] = None,
    sort_by_score: bool = False,
) -> Tuple[Tensor, Tensor]:
    return detops.poly_nms(
        _plain(dets),
        iou_threshold,
        groups=_plain(groups),
        image_counts=_plain(image_counts),
        score_threshold=score_threshold,
        max_outputs=max_outputs,
        sort_by_score=sort_by_score,
        return_counts=True,
    )


@poly_nms.register_fake
def _(
    dets,
    iou_threshold,
    groups=None,
    image_counts=None,
    score_threshold=None,
    max_outputs=None,
    sort_by_score=False,
):
    images = 1 if image_counts is None else image_counts.shape[0]
    return _indices(dets, _unknown_size()), _indices(dets, images)


@_operator
def polygon_iou(polygons1: Tensor, polygons2: Tensor, aligned: bool = False) -> Tensor:
    return detops.polygon_iou(_plain(polygons1), _plain(polygons2), aligned)


@polygon_iou.register_fake
def _(polygons1, polygons2, aligned=False):
    return _floats(polygons1, *((polygons1.shape[0],) if aligned else (polygons1.shape[0], polygons2.shape[0])))


@_operator
def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Optional[Tensor] = None,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    pixel_offset: bool = False,
    layout: str = "NHWC",
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    return detops.generate_proposals(
        _plain(scores),
        _plain(bbox_deltas),
        _plain(img_size),
        _plain(anchors),
        _plain(variances),
        pre_nms_top_n,
        post_nms_top_n,
        nms_thresh,
        min_size,
        eta,
        pixel_offset,
        layout=layout,
        return_anchor_indices=True,
    )


@generate_proposals.register_fake
def _(
    scores,
    bbox_deltas,
    img_size,
    anchors,
    variances=None,
    pre_nms_top_n=6000,
    post_nms_top_n=1000,
    nms_thresh=0.5,
    min_size=0.1,
    eta=1.0,
    pixel_offset=False,
    layout="NHWC",
):
    rois = _unknown_size()
    return _floats(scores, rois, 4), _floats(scores, rois, 1), _indices(scores, scores.shape[0]), _indices(scores, rois)


@_operator
def border_align(input: Tensor, boxes: Tensor, pool_size: int, layout: str = "NHWC") -> Tuple[Tensor, Tensor]:
    return detops.border_align(_plain(input), _plain(boxes), pool_size, layout=layout, return_argmax=True)


@border_align.register_fake
def _(input, boxes, pool_size, layout="NHWC"):
    images, count = boxes.shape[0], boxes.shape[1]
    if layout == "NCHW":
        shape = (images, input.shape[1] // 4, count, 4)
    else:
        shape = (images, count, 4, input.shape[3] // 4)
    return input.new_empty(shape, dtype=_result_type(input, boxes)), _indices(input, *shape)


@_operator
def psroi_pool(
    input: Tensor,
    rois: Tensor,
    output_size: int,
    spatial_scale: float = 1.0,
    layout: str = "NHWC",
    rounding: str = "before_scaling",
) -> Tuple[Tensor, Tensor]:
    return detops.psroi_pool(
        _plain(input),
        _plain(rois),
        output_size,
        spatial_scale,
        layout=layout,
        rounding=rounding,
        return_mapping=True,
    )


@psroi_pool.register_fake
def _(input, rois, output_size, spatial_scale=1.0, layout="NHWC", rounding="before_scaling"):
    bins = output_size * output_size
    if layout == "NCHW":
        shape = (rois.shape[0], input.shape[1] // bins, output_size, output_size)
    else:
        shape = (rois.shape[0], output_size, output_size, input.shape[3] // bins)
    return _floats(input, *shape), _indices(input, *shape)
