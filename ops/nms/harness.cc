// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "ops/nms/harness.h"

namespace detops::nms {

Kept RunReference(const Case& input) { return KeptByReference(input, Reference); }

Kept RunOn(Threads& threads, const Case& input, const Placement& placement) {
  return KeptByRun(input, threads, placement, WorkspaceBytes(input.count()), Run);
}

Kept RunOn(int threads, const Case& input) {
  Threads limit(threads);
  return RunOn(limit, input);
}

}  // namespace detops::nms
