// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The suppression is that of engine.h, with the kernels of boxes.

#include "ops/nms/op.h"
#include "suppression/engine.h"

namespace detops::nms {

size_t WorkspaceBytes(int64_t count) { return suppression::WorkspaceBytes(BoxKernels(), count); }

Status Run(RunContext& context, const Args& args) {
  suppression::SuppressCall call = args.call;
  call.boxes = &args.boxes;
  return suppression::RunSuppress(context, BoxKernels(), call);
}

}  // namespace detops::nms
