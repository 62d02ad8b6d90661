// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Calls of each operator's Run in scratch memory that ends at an inaccessible page. Before each
// call the memory is filled with kNoIndex: an element that a stage does not write because its input
// changed does not keep the valid index of an earlier call. In these shapes, most of the time is
// spent on numbers that steer memory access.

#include <array>

#include "core/handle.h"
#include "core/parallel.h"
#include "ops/border_align_forward/cases.h"
#include "ops/generate_proposals_v2/cases.h"
#include "ops/nms/cases.h"
#include "ops/psroipool_forward/cases.h"
#include "runtime/job.h"
#include "tests/scribbled_calls.h"

namespace detops {
namespace {

// Four of these bytes are no valid index, and as a key (suppression/order.h) a high score, so that
// an entry of them is used.
constexpr int kNoIndex = 0x25;

// Scratch of exactly the size that a number of threads needs.
class Scratch {
 public:
  // bytes_of(threads) returns the size.
  template <class BytesOf>
  Scratch(ScribbledCall& call, const BytesOf& bytes_of) {
    for (int threads = 1; threads <= kMaxThreads; ++threads) {
      bytes_[threads] = bytes_of(threads);
      memory_[threads] = call.Take<std::byte>(static_cast<int64_t>(bytes_[threads]));
    }
  }

  // Calls run(context), which must return a Status, on the threads of the context.
  template <class Run>
  mluOpStatus_t Call(Context& context, const Run& run) const {
    Handle* handle = nullptr;
    if (Status status = FindHandle(context.handle(), handle); !status.ok()) {
      return status.code();
    }
    const int threads = handle->threads().count();
    std::memset(memory_[threads], kNoIndex, bytes_[threads]);
    RunContext run_context{.threads = handle->threads(), .scratch = memory_[threads]};
    return run(run_context).code();
  }

 private:
  static constexpr int kMaxThreads = 3;

  std::array<size_t, kMaxThreads + 1> bytes_{};
  std::array<std::byte*, kMaxThreads + 1> memory_{};
};

ScribbledCall BorderAlign(const border_align_forward::Shape& shape) {
  ScribbledCall call;
  call.op = "border_align_forward";
  call.name = "border_align_forward::Run";
  const border_align_forward::Case made =
      RandomCase(border_align_forward::Kind::kNetwork, shape, 1);
  const float* const input = call.Input(made.input);
  const float* const boxes = call.Input(made.boxes);
  const border_align_forward::Args args =
      made.args(input, boxes, call.Take<float>(made.results()), call.Take<int32_t>(made.results()));
  const Scratch scratch(call, [&](int threads) { return ScratchBytes(args, threads); });
  call.make = [=](Context& context) {
    return scratch.Call(context, [&](RunContext& run) { return Run(run, args); });
  };
  return call;
}

ScribbledCall PsRoiPool(const psroipool_forward::Shape& shape) {
  ScribbledCall call;
  call.op = "psroipool_forward";
  call.name = "psroipool_forward::Run";
  psroipool_forward::Case made = RandomCase(psroipool_forward::Kind::kNetwork, shape, 1, 1);
  const float* const input = call.Input(made.input);
  const float* const rois = call.Input(made.rois);
  psroipool_forward::Args args = made.args(input, call.Take<float>(made.results()), nullptr);
  args.rois = rois;
  const Scratch scratch(call, [&](int threads) { return ScratchBytes(args, threads); });
  call.make = [=](Context& context) {
    return scratch.Call(context, [&](RunContext& run) { return Run(run, args); });
  };
  return call;
}

ScribbledCall GenerateProposals(const generate_proposals_v2::Shape& shape, bool channels_first) {
  ScribbledCall call;
  call.op = "generate_proposals_v2";
  call.name = "generate_proposals_v2::Run";
  generate_proposals_v2::Case made =
      RandomCase(generate_proposals_v2::Kind::kUniform, shape, 8, 32, 1);
  made.pre_nms_top_n = 100;
  made.post_nms_top_n = 50;
  made = channels_first ? made.ChannelsFirst() : made;
  generate_proposals_v2::Proposals unused(made);
  generate_proposals_v2::Args args = MakeArgs(made, unused);
  args.scores = call.Input(made.scores);
  args.bbox_deltas = call.Input(made.deltas);
  args.im_shape = call.Input(made.im_shape);
  args.anchors = call.Input(made.anchors);
  args.variances = call.Input(made.variances);
  args.rois = call.Take<float>(made.rows() * 4);
  args.probs = call.Take<float>(made.rows());
  args.anchor_indices = call.Take<int32_t>(made.rows());
  args.counts = call.Take<int32_t>(made.images);
  args.total = call.Take<int32_t>(1);
  args.workspace = nullptr;
  const Scratch scratch(call, [&](int) { return WorkspaceBytes(args); });
  call.make = [=](Context& context) {
    return scratch.Call(context, [&](RunContext& run) { return Run(run, args); });
  };
  call.is_safe = [=] {
    return AreBetween(args.total, 1, args.images, made.rows()) &&
           AreBetween(args.anchor_indices, *args.total, -1, made.scores_per_image() - 1);
  };
  return call;
}

ScribbledCall Nms(int64_t count, int64_t images) {
  ScribbledCall call;
  call.op = "nms";
  call.name = "nms::Run";
  nms::Case made = nms::RandomCase(nms::Kind::kScene, count, 1);
  made.image_counts.assign(static_cast<size_t>(images), 0);
  for (int64_t i = 0; i < count; ++i) {
    ++made.image_counts[static_cast<size_t>(i * i % images)];
  }
  int32_t* const output = call.Take<int32_t>(count);
  int32_t* const result_num = call.Take<int32_t>(images);
  nms::Args args = made.args(output, result_num);
  args.suppression.boxes = call.Input(made.boxes);
  args.suppression.scores = call.Input(made.scores);
  args.suppression.image_counts = call.Input(made.image_counts);
  const Scratch scratch(call, [&](int) { return nms::WorkspaceBytes(count); });
  call.make = [=](Context& context) {
    return scratch.Call(context, [&](RunContext& run) { return Run(run, args); });
  };
  call.is_safe = [=] { return IsSelection(output, result_num, count, images); };
  return call;
}

}  // namespace

std::vector<ScribbledCall> ScribbledRuns() {
  std::vector<ScribbledCall> calls;
  calls.push_back(BorderAlign({.images = 1,
                               .height = 6,
                               .width = 7,
                               .channels = 5,
                               .boxes_per_image = 1000,
                               .pool_size = 1}));
  calls.push_back(
      PsRoiPool({.images = 5, .height = 4, .width = 4, .group = 1, .dim = 1, .rois = 2000}));
  for (const bool channels_first : {false, true}) {
    calls.push_back(GenerateProposals({1, 40, 40, 3}, channels_first));
  }
  calls.push_back(Nms(200, 500));
  calls.push_back(Nms(1000, 3));
  return calls;
}

}  // namespace detops
