# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
from typing import Any, Literal, Optional, Tuple, Union, overload

from numpy.typing import ArrayLike

# A NumPy array, a list, or any CPU array that supports the buffer protocol or DLPack.
_Input = Union[ArrayLike, Any]
# The kind of array that was passed; a NumPy array for lists.
_Array = Any
_Mode = Literal["iou", "iof"]
_Layout = Literal["NHWC", "NCHW"]
_Rounding = Literal["before_scaling", "after_scaling"]

__version__: str

def set_num_threads(threads: int) -> None: ...
def get_num_threads() -> int: ...
def info() -> dict[str, Any]: ...
def bbox_overlaps(
    bboxes1: _Input,
    bboxes2: _Input,
    mode: _Mode = "iou",
    aligned: bool = False,
    offset: int = 0,
    *,
    out: Optional[_Array] = None,
) -> _Array: ...
def bbox_overlaps_row_maximum(
    bboxes1: _Input, bboxes2: _Input, mode: _Mode = "iou", offset: int = 0
) -> Tuple[_Array, _Array]: ...
def bbox_overlaps_pairs(
    bboxes1: _Input, bboxes2: _Input, threshold: float, mode: _Mode = "iou", offset: int = 0
) -> Tuple[_Array, _Array]: ...
@overload
def nms(
    boxes: _Input,
    scores: _Input,
    iou_threshold: float,
    *,
    offset: int = 0,
    groups: Optional[_Input] = None,
    image_counts: Optional[_Input] = None,
    score_threshold: Optional[float] = None,
    max_outputs: Optional[int] = None,
    sort_by_score: bool = True,
    return_counts: Literal[False] = False,
) -> _Array: ...
@overload
def nms(
    boxes: _Input,
    scores: _Input,
    iou_threshold: float,
    *,
    offset: int = 0,
    groups: Optional[_Input] = None,
    image_counts: Optional[_Input] = None,
    score_threshold: Optional[float] = None,
    max_outputs: Optional[int] = None,
    sort_by_score: bool = True,
    return_counts: Literal[True],
) -> Tuple[_Array, _Array]: ...
def batched_nms(boxes: _Input, scores: _Input, idxs: _Input, iou_threshold: float) -> _Array: ...
@overload
def poly_nms(
    dets: _Input,
    iou_threshold: float,
    *,
    groups: Optional[_Input] = None,
    image_counts: Optional[_Input] = None,
    score_threshold: Optional[float] = None,
    max_outputs: Optional[int] = None,
    sort_by_score: bool = False,
    return_counts: Literal[False] = False,
) -> _Array: ...
@overload
def poly_nms(
    dets: _Input,
    iou_threshold: float,
    *,
    groups: Optional[_Input] = None,
    image_counts: Optional[_Input] = None,
    score_threshold: Optional[float] = None,
    max_outputs: Optional[int] = None,
    sort_by_score: bool = False,
    return_counts: Literal[True],
) -> Tuple[_Array, _Array]: ...
def polygon_iou(
    polygons1: _Input, polygons2: _Input, aligned: bool = False, *, out: Optional[_Array] = None
) -> _Array: ...

# The number of arrays depends on return_rois_num and return_anchor_indices.
def generate_proposals(
    scores: _Input,
    bbox_deltas: _Input,
    img_size: _Input,
    anchors: _Input,
    variances: Optional[_Input] = None,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    pixel_offset: bool = False,
    return_rois_num: bool = True,
    *,
    layout: _Layout = "NHWC",
    return_anchor_indices: bool = False,
) -> Tuple[_Array, ...]: ...
@overload
def border_align(
    input: _Input,
    boxes: _Input,
    pool_size: int,
    *,
    layout: _Layout = "NHWC",
    return_argmax: Literal[False] = False,
    out: Optional[_Array] = None,
) -> _Array: ...
@overload
def border_align(
    input: _Input,
    boxes: _Input,
    pool_size: int,
    *,
    layout: _Layout = "NHWC",
    return_argmax: Literal[True],
    out: Optional[Tuple[_Array, _Array]] = None,
) -> Tuple[_Array, _Array]: ...
@overload
def psroi_pool(
    input: _Input,
    rois: _Input,
    output_size: Union[int, Tuple[int, int]],
    spatial_scale: float = 1.0,
    *,
    layout: _Layout = "NHWC",
    rounding: _Rounding = "before_scaling",
    return_mapping: Literal[False] = False,
    out: Optional[_Array] = None,
) -> _Array: ...
@overload
def psroi_pool(
    input: _Input,
    rois: _Input,
    output_size: Union[int, Tuple[int, int]],
    spatial_scale: float = 1.0,
    *,
    layout: _Layout = "NHWC",
    rounding: _Rounding = "before_scaling",
    return_mapping: Literal[True],
    out: Optional[Tuple[_Array, _Array]] = None,
) -> Tuple[_Array, _Array]: ...
