// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Runs the suppression engine with the kernels for axis-aligned boxes.

#include "ops/nms/op.h"
#include "suppression/engine.h"

namespace detops::nms {

size_t WorkspaceBytes(int64_t count) { return suppression::WorkspaceBytes(BoxKernels(), count); }

Status Run(RunContext& context, const Args& args) {
  suppression::Args suppression = args.suppression;
  suppression.metric = &args.metric;
  return suppression::Run(context, BoxKernels(), suppression);
}

}  // namespace detops::nms
