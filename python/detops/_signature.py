# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The signatures of functions of the extension module, for `inspect`."""

import ast
import inspect
import re


def signature(native):
    """Returns the inspect.Signature, without types, of a function that nanobind made.

    nanobind describes it as "def nms(boxes: object, ..., offset: int = \\0) -> object" and a tuple of the default values, which the numbers
    after backslashes index.
    """
    text, _, defaults = native.__nb_signature__[0]
    arguments = ast.parse(re.sub(r"\\(\d+)", r"\1", text) + ": ...").body[0].args

    def parameter(argument, default, kind):
        value = inspect.Parameter.empty if default is None else defaults[default.value]
        return inspect.Parameter(argument.arg, kind, default=value)

    no_defaults = [None] * (len(arguments.args) - len(arguments.defaults))
    parameters = [
        parameter(argument, default, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for argument, default in zip(arguments.args, no_defaults + arguments.defaults)
    ]
    parameters += [
        parameter(argument, default, inspect.Parameter.KEYWORD_ONLY)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults)
    ]
    return inspect.Signature(parameters)
