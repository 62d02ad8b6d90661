// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The stages: select the highest scores; decode their boxes and suppress, block by block, until
// there are enough proposals; then pack the images.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/carver.h"
#include "core/math.h"
#include "core/parallel.h"
#include "core/read_once.h"
#include "ops/generate_proposals_v2/costs.h"
#include "ops/generate_proposals_v2/kept_grid.h"
#include "ops/generate_proposals_v2/op.h"
#include "ops/generate_proposals_v2/tiles.h"
#include "ops/generate_proposals_v2/top_scores.h"
#include "ops/nms/op.h"
#include "suppression/block.h"

namespace detops::generate_proposals_v2 {
namespace {

// Number of candidates in a block. Blocks are small at first, because the first boxes suppress most
// of the others.
constexpr int64_t kFirstBlock = 32;
constexpr int64_t kLargestBlock = suppression::kLargestBlock;
// Target for the number of candidates of a block that no kept box suppresses. These are compared
// all with all, so the number must be small.
constexpr int64_t kSurvivorsPerBlock = 192;

// Number of candidates that a thread decodes and searches at a time.
constexpr int64_t kDecodeTogether = 64;
static_assert(kDecodeTogether % suppression::kMaxLanes == 0);

// Up to this number of candidates, each is compared with a list of the boxes kept before it, until
// the list has kFewKept boxes: that takes less time than blocks and a grid, even on vectors of four
// floats. With more candidates, blocks can be split among threads.
constexpr int64_t kFewCandidates = kLargestBlock;
constexpr int64_t kFewKept = 256;

// Number of images that are processed at the same time, each in its own part of the workspace.
constexpr int64_t kImagesAtOnce = 8;

// The workspace of one image.
struct ImageSpace {
  ImageSpace(Carver& carver, int64_t scores, int64_t max_proposals)
      : top_scores(carver, scores),
        kept(carver, max_proposals),
        rois(carver.Take<float>(max_proposals * kBoxFloats)),
        anchors(carver.Take<int32_t>(max_proposals)),
        suppressed(carver.Take<uint8_t>(kLargestBlock + suppression::kMaxLanes)),
        rows(carver.Take<uint64_t>(kLargestBlock * suppression::WordsFor(kLargestBlock))),
        survivors(carver.Take<int32_t>(kLargestBlock)) {
    for (int i = 0; i < nms::kColumns; ++i) {
      candidates.array[i] = carver.Take<float>(kLargestBlock + 2 * suppression::kMaxLanes);
      block.array[i] = carver.Take<float>(kLargestBlock + 2 * suppression::kMaxLanes);
    }
  }

  TopScores::Space top_scores;
  KeptGrid::Space kept;
  // The proposals.
  float* rois;
  int32_t* anchors;
  // A block of candidates, and those of them that no kept box suppresses.
  suppression::Columns candidates{};
  uint8_t* suppressed;
  suppression::Columns block{};
  uint64_t* rows;
  int32_t* survivors;
};

size_t ImageBytes(int64_t scores, int64_t max_proposals) {
  Carver carver(nullptr);
  const ImageSpace space(carver, scores, max_proposals);
  return carver.used() + kAlignment;  // the workspace may have any alignment
}

// Returns the width or height of an image as a limit for clipping. NaN means no limit.
float LimitOf(float side) {
  return std::isnan(side) ? std::numeric_limits<float>::infinity() : side;
}

Scores ScoresOf(const Args& args, int64_t image) {
  return {.first = args.scores + image * args.scores_per_image(),
          .positions = args.positions,
          .anchors_per_position = args.anchors_per_position,
          .channels_first = args.channels_first};
}

Decoder DecoderOf(const Args& args, int64_t image) {
  return {.anchors = args.anchors,
          .variances = args.variances,
          .deltas = args.bbox_deltas + image * args.scores_per_image() * kBoxFloats,
          .positions = args.positions,
          .anchors_per_position = args.anchors_per_position,
          .channels_first = args.channels_first,
          .offset = args.pixel_offset ? 1.0f : 0.0f,
          .image_width = LimitOf(ReadOnce(args.im_shape[2 * image + 1])),
          .image_height = LimitOf(ReadOnce(args.im_shape[2 * image])),
          .least_size = args.least_size,
          .drops_outside = args.pixel_offset};
}

// Generates the proposals of one image.
class ImageRun {
 public:
  ImageRun(Threads& threads, const Args& args, int64_t image, const ImageSpace& space)
      : threads_(threads),
        args_(args),
        space_(space),
        top_scores_(threads, ScoresOf(args, image), args.candidates, space.top_scores),
        decoder_(DecoderOf(args, image)),
        kept_boxes_(space.kept, args.nms_thresh, args.pixel_offset ? 1 : 0, space.rois) {}

  // Returns the number of proposals.
  int64_t Run() {
    RunInBlocks(args_.candidates <= kFewCandidates && suppresses() ? RunInOrder() : 0);
    return kept_;
  }

 private:
  // Keeps proposals until there are enough, or too many for a list of them. Returns the number of
  // candidates that it has visited.
  int64_t RunInOrder() {
    const suppression::Entry* const entries = top_scores_.Sort(args_.candidates);
    const int64_t most = std::min(args_.max_proposals, kFewKept);
    KeptList kept{.columns = space_.block, .candidates = space_.survivors, .count = 0};
    int64_t visited = 0;
    while (visited < args_.candidates && kept.count < most) {
      const int64_t end = std::min(visited + kDecodeTogether, args_.candidates);
      DecodeCandidates(decoder_, entries, visited, end, space_.candidates, space_.suppressed);
      visited = KeepInOrder(space_.candidates, space_.suppressed, visited, end, args_.nms_thresh,
                            args_.pixel_offset ? 1 : 0, most, kept);
    }
    for (int64_t i = 0; i < kept.count; ++i) {
      Keep(i, suppression::IndexOf(entries[space_.survivors[i]]));
    }
    if (visited < args_.candidates && kept_ < args_.max_proposals) {
      for (int64_t i = 0; i < kept.count; ++i) {
        kept_boxes_.Add(space_.block.array[nms::kArea][i]);
      }
    }
    return visited;
  }

  // Keeps proposals among the candidates from `begin` on.
  void RunInBlocks(int64_t begin) {
    int64_t size = kFirstBlock;
    while (begin < args_.candidates && kept_ < args_.max_proposals) {
      const int64_t count = std::min(size, args_.candidates - begin);
      const suppression::Entry* const entries = top_scores_.Sort(begin + count) + begin;
      Decode(entries, count);
      const int64_t survivors = GatherSurvivors(count);
      Suppress(entries, survivors);
      begin += count;
      size = std::clamp(
          kSurvivorsPerBlock * count / (survivors + 1) / kDecodeTogether * kDecodeTogether,
          kFirstBlock, std::min(2 * size, kLargestBlock));
    }
  }

  // An IoU never exceeds 1.
  bool suppresses() const { return args_.nms_thresh < 1; }
  bool searches() const { return suppresses() && kept_ != 0; }

  // Decodes a block of candidates, and marks those that are dropped or that a kept box suppresses.
  void Decode(const suppression::Entry* entries, int64_t count) {
    const double nanoseconds =
        kNanosecondsToDecode +
        (searches() ? kNanosecondsToLookUp + tests_per_candidate_ * kNanosecondsPerTest : 0);
    std::atomic<int64_t> tests{0};
    // The thread that decoded boxes also searches them: they are in its core's cache.
    ParallelFor(
        threads_, CeilDiv(count, kDecodeTogether), nanoseconds * kDecodeTogether,
        [&](int64_t first, int64_t last) {
          const int64_t begin = first * kDecodeTogether;
          const int64_t end = std::min(last * kDecodeTogether, count);
          DecodeCandidates(decoder_, entries, begin, end, space_.candidates, space_.suppressed);
          if (searches()) {
            tests += FindSuppressed(kept_boxes_, space_.candidates, begin, end, space_.suppressed);
          }
        });
    tests_per_candidate_ = static_cast<double>(tests) / static_cast<double>(count);
  }

  // Copies the candidates that are not marked to a block. Returns their number.
  int64_t GatherSurvivors(int64_t count) {
    int64_t survivors = 0;
    for (int64_t i = 0; i < count; ++i) {
      // Copies every candidate; the next one overwrites it if it is marked. A branch would be
      // mispredicted often.
      for (int column = 0; column < nms::kColumns; ++column) {
        space_.block.array[column][survivors] = space_.candidates.array[column][i];
      }
      space_.survivors[survivors] = static_cast<int32_t>(i);
      survivors += space_.suppressed[i] == 0 ? 1 : 0;
    }
    return survivors;
  }

  // Keeps the boxes of the block that no box before them suppresses.
  void Suppress(const suppression::Entry* entries, int64_t count) {
    if (!suppresses()) {
      for (int64_t i = 0; i < count && kept_ < args_.max_proposals; ++i) {
        Keep(i, suppression::IndexOf(entries[space_.survivors[i]]));
      }
      return;
    }
    const nms::Metric metric{.offset = args_.pixel_offset ? 1 : 0};
    const suppression::Block block{.prepared = nullptr,
                                   .metric = &metric,
                                   .columns = space_.block,
                                   .slot_of = nullptr,
                                   .count = count,
                                   .threshold = args_.nms_thresh,
                                   .rows = space_.rows,
                                   .words_per_row = suppression::WordsFor(count)};
    suppression::CompareBlock(threads_, nms::BoxKernels(), block);
    suppression::ResolveBlock(block, [&](int64_t i) {
      if (kept_ < args_.max_proposals) {
        Keep(i, suppression::IndexOf(entries[space_.survivors[i]]));
        kept_boxes_.Add(space_.block.array[nms::kArea][i]);
      }
    });
  }

  void Keep(int64_t i, int32_t anchor) {
    float* const roi = space_.rois + kept_ * kBoxFloats;
    for (int column = 0; column < kBoxFloats; ++column) {
      roi[column] = space_.block.array[column][i];
    }
    space_.anchors[kept_++] = anchor;
  }

  Threads& threads_;
  const Args& args_;
  const ImageSpace space_;
  TopScores top_scores_;
  const Decoder decoder_;
  KeptGrid kept_boxes_;
  double tests_per_candidate_ = 0;
  int64_t kept_ = 0;
};

// Writes the proposals of an image from row `row` on. Returns the number of rows.
int32_t WriteImage(const Args& args, int64_t image, int64_t row, const ImageSpace& space,
                   int64_t kept) {
  float* const rois = args.rois + row * kBoxFloats;
  float* const probs = args.probs + row;
  const bool is_empty = kept == 0;
  if (is_empty) {
    std::fill_n(rois, kBoxFloats, 0.0f);
    *probs = 0;
  }
  std::copy_n(space.rois, kept * kBoxFloats, rois);
  for (int64_t i = 0; i < kept; ++i) {
    probs[i] = args.scores[args.ScoreOffset(image, space.anchors[i])];
  }
  if (args.anchor_indices != nullptr) {
    args.anchor_indices[row] = -1;
    std::copy_n(space.anchors, kept, args.anchor_indices + row);
  }
  const auto count = static_cast<int32_t>(is_empty ? 1 : kept);
  args.counts[image] = count;
  return count;
}

}  // namespace

size_t WorkspaceBytes(int64_t images, int64_t scores_per_image, int64_t max_proposals) {
  // Without images, the other sizes are unchecked and could overflow.
  return images == 0 ? 0
                     : static_cast<size_t>(std::min(images, kImagesAtOnce)) *
                           ImageBytes(scores_per_image, max_proposals);
}

Status Run(RunContext& context, const Args& args) {
  if (args.images == 0) {
    *args.total = 0;
    return {};
  }
  auto* const memory =
      static_cast<std::byte*>(args.workspace != nullptr ? args.workspace : context.scratch);
  const size_t image_bytes = ImageBytes(args.scores_per_image(), args.max_proposals);
  const auto space_of = [&](int64_t i) {
    Carver carver(memory + static_cast<size_t>(i) * image_bytes);
    return ImageSpace(carver, args.scores_per_image(), args.max_proposals);
  };
  const double nanoseconds = static_cast<double>(args.scores_per_image()) * kNanosecondsPerScore +
                             static_cast<double>(args.candidates) * kNanosecondsPerCandidate;
  // Not counted in *args.total, which other threads can change, too.
  int32_t rows = 0;
  for (int64_t first = 0; first < args.images; first += kImagesAtOnce) {
    const int64_t images = std::min(args.images - first, kImagesAtOnce);
    int64_t kept[kImagesAtOnce];
    ParallelFor(context.threads, images, nanoseconds, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        kept[i] = ImageRun(context.threads, args, first + i, space_of(i)).Run();
      }
    });
    for (int64_t i = 0; i < images; ++i) {
      rows += WriteImage(args, first + i, rows, space_of(i), kept[i]);
    }
  }
  *args.total = rows;
  return {};
}

}  // namespace detops::generate_proposals_v2
