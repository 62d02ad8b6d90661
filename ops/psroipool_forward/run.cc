// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Splits the work into tiles. The channels of a bin are far apart in the input, so they cannot be
// loaded as vectors. For each image there are two ways around that:
//
// - Many RoIs: the threads share the bins. Each thread walks down the map once, packs a few rows at
//   a time into a ring, in which the channels of a bin are adjacent, and pools the bins that end in
//   these rows.
// - Few RoIs: the threads share the RoIs and copy the pixels of each bin.

#include <algorithm>

#include "core/cache.h"
#include "core/carver.h"
#include "core/cores.h"
#include "core/counting_sort.h"
#include "core/math.h"
#include "core/parallel.h"
#include "core/read_once.h"
#include "core/scratch_slots.h"
#include "ops/psroipool_forward/costs.h"
#include "ops/psroipool_forward/op.h"
#include "ops/psroipool_forward/tiles.h"

namespace detops::psroipool_forward {
namespace {

// Bytes of the rows that are packed at once: they stay in the second-level cache until they are
// pooled.
constexpr int64_t kStepBytes = 128 << 10;

// Total size of the rings up to which bins of any height fit. Larger rings only have the rows that
// bins of RoIs inside the map need.
constexpr int64_t kRingBytes = 64 << 20;

// Smallest number of bins per part. With fewer, windows of four bins would be packed for parts of
// them, and the parts would read the same cache lines.
constexpr int64_t kMinBinsPerPart = 4;

// Size of a map that stays in the caches while each row of bins reads all of it.
constexpr int64_t kSmallMapBytes = 1 << 20;

constexpr int64_t BytesOf(int64_t floats) { return floats * static_cast<int64_t>(sizeof(float)); }

// Returns the number of floats of a map row that is packed for `bins` bins.
int64_t RowFloats(const Args& args, int64_t bins) {
  return bins * args.width * MaxPixelFloats(args.dim);
}

// Returns whether pixels are packed or copied on some instruction set.
bool MayPack(const Args& args) { return !IsInPlace(args, {MaxLanes(args.dim), 1}); }

// Returns whether the results are aligned to their elements. Streaming stores need cache lines that
// start with an element.
bool IsAlignedToElement(const void* results) {
  return reinterpret_cast<uintptr_t>(results) % sizeof(float) == 0;
}

// ---- Plan and scratch ---------------------------------------------------------------------------

// How the work is split.
struct Plan {
  int64_t threads;
  int64_t slots;      // number of ThreadScratch: threads that can run at the same time
  int64_t parts;      // parts of an image: of its RoIs if they are few
  int64_t bin_parts;  // parts of its bins if RoIs are many; at most `parts`
  int64_t step_rows;  // map rows that are packed at once
  int64_t ring_rows;  // largest number of rows of a ring
  bool stream;        // write results with streaming stores

  int64_t steps(const Args& args) const { return CeilDiv(args.height, step_rows); }
  // Returns the largest number of rows of a bin that is pooled from a ring. Higher bins are pooled
  // from the input.
  int64_t max_bin_rows(const Args& args) const {
    return ring_rows == args.height ? args.height : ring_rows - step_rows + 1;
  }
  int64_t bins_per_part(const Args& args) const { return CeilDiv(args.bins(), bin_parts); }
  // Returns the largest number of rows of bins that a part has bins of.
  int64_t bin_rows_per_part(const Args& args) const {
    return std::min((bins_per_part(args) + args.group - 2) / args.group + 1, args.group);
  }
};

// Returns the number of parts of the bins of an image: whole rows of bins if all threads get the
// same number of them, since no window then belongs to two parts; otherwise one part per thread.
int64_t CountBinParts(const Args& args, int64_t threads) {
  const int64_t map_bytes = BytesOf(args.pixels() * args.channels());
  if (map_bytes <= kSmallMapBytes && args.images * args.group % threads == 0) {
    return args.group;
  }
  return std::min(threads,
                  std::max(args.bins() / kMinBinsPerPart, std::min(args.bins(), kMinBinsPerPart)));
}

Plan MakePlan(const Args& args, int threads) {
  Plan plan{};
  plan.threads = threads;
  plan.slots = std::min(threads, AvailableCores());
  plan.bin_parts = CountBinParts(args, threads);
  plan.parts = std::max<int64_t>(threads, plan.bin_parts);
  plan.step_rows =
      std::clamp<int64_t>(kStepBytes / BytesOf(RowFloats(args, args.group)), 1, args.height);
  // The bins of RoIs inside the map have fewer rows than the first of these.
  const int64_t bin_rows =
      std::max(args.height / args.group + 3,
               kRingBytes / plan.slots / BytesOf(RowFloats(args, plan.bins_per_part(args))) -
                   plan.step_rows);
  plan.ring_rows = std::min(bin_rows + plan.step_rows - 1, args.height);
  const int64_t results = args.roi_count * args.channels();
  const int64_t result_bytes = BytesOf(args.mapping_channel == nullptr ? results : 2 * results);
  plan.stream = !args.channels_first && result_bytes > LargestCachedResult() &&
                IsAlignedToElement(args.output) && IsAlignedToElement(args.mapping_channel);
  return plan;
}

// Scratch that all threads share.
struct SharedScratch {
  int32_t* bins;          // memory of the BinTable
  int32_t* images;        // one per RoI: its batch index
  int32_t* order;         // RoIs, sorted by image
  int32_t* image_begins;  // positions in `order`
  bool* packs;            // one per image: whether its map is packed
  int32_t* channels;      // mapping_channel of one RoI
};

SharedScratch TakeShared(const Args& args, Carver& carver) {
  SharedScratch shared{};
  shared.bins = carver.Take<int32_t>(BinTable::Numbers(args.roi_count, args.group));
  shared.images = carver.Take<int32_t>(args.roi_count);
  shared.order = carver.Take<int32_t>(args.roi_count);
  shared.image_begins = carver.Take<int32_t>(args.images + 1);
  shared.packs = carver.Take<bool>(args.images);
  shared.channels = carver.Take<int32_t>(args.mapping_channel == nullptr ? 0 : args.channels());
  return shared;
}

// A row of bins, or the bins of it that a part has, on its way down the map.
struct Walk {
  BinRow bins;
  float* ring;
  int64_t ring_rows;
  const int32_t* order;        // RoIs, sorted by the step in which they are pooled
  const int32_t* step_begins;  // positions in `order`
};

// Scratch of one thread.
struct ThreadScratch {
  float* rings;          // of the walks of a part, one after the other
  float* copies;         // pixels of a bin that is pooled from the input
  float* means;          // of a row of bins
  double* sums;          // of a bin
  Walk* walks;           // one per row of bins, with
  int32_t* orders;       // the order of its RoIs
  int32_t* step_begins;  // and its steps
};

ThreadScratch TakeThreadScratch(const Args& args, const Plan& plan, Carver& carver) {
  const int64_t pixel_floats = MaxPixelFloats(args.dim);
  const int64_t walks = plan.bin_rows_per_part(args);
  ThreadScratch scratch{};
  scratch.means = carver.Take<float>(args.group * args.dim);
  scratch.sums = carver.Take<double>(pixel_floats);
  if (MayPack(args)) {
    scratch.rings = carver.Take<float>(plan.ring_rows * RowFloats(args, plan.bins_per_part(args)));
    scratch.copies = carver.Take<float>(CopiedPixels(args) * pixel_floats);
    scratch.walks = carver.Take<Walk>(walks);
    scratch.orders = carver.Take<int32_t>(plan.steps(args) == 1 ? 0 : walks * args.roi_count);
    scratch.step_begins = carver.Take<int32_t>(walks * (plan.steps(args) + 2));
  }
  return scratch;
}

size_t ThreadScratchBytes(const Args& args, const Plan& plan) {
  Carver counts(nullptr);
  TakeThreadScratch(args, plan, counts);
  return counts.used();
}

size_t SharedBytes(const Args& args) {
  Carver counts(nullptr);
  TakeShared(args, counts);
  return counts.used();
}

// Some RoIs, by index.
struct RoiList {
  const int32_t* rois;
  int64_t count;

  // Returns part `part` of `parts`.
  RoiList Part(int64_t part, int64_t parts) const {
    const int64_t begin = count * part / parts;
    return {rois + begin, count * (part + 1) / parts - begin};
  }
};

RoiList RoisOf(const SharedScratch& shared, int64_t image) {
  const int64_t begin = shared.image_begins[image];
  return {shared.order + begin, shared.image_begins[image + 1] - begin};
}

// ---- Costs --------------------------------------------------------------------------------------

// Returns an estimate of the pixels of all bins of a RoI: the pixels that neighboring bins share
// count as one more row and column per bin.
double BinPixelsOf(const Args& args, const BinTable& table, int64_t roi) {
  const int64_t last = args.group - 1;
  const int64_t rows = table.row_ends(roi)[last] - table.row_begins(roi)[0];
  const int64_t columns = table.column_ends(roi)[last] - table.column_begins(roi)[0];
  return rows <= 0 || columns <= 0
             ? 0
             : static_cast<double>(rows + last) * static_cast<double>(columns + last);
}

// The estimated cost of an image, summed over all threads, and whether its map is packed.
struct Cost {
  double nanoseconds;
  bool packs;
};

Cost CostOf(const Args& args, const BinTable& table, const Plan& plan, const RoiList& rois) {
  double bin_pixels = 0;
  for (int64_t i = 0; i < rois.count; ++i) {
    bin_pixels += BinPixelsOf(args, table, rois.rois[i]);
  }
  const double elements = bin_pixels * static_cast<double>(args.dim);
  const double common = elements * kNanosecondsToAdd +
                        static_cast<double>(rois.count * args.bins()) * kNanosecondsPerBin +
                        static_cast<double>(rois.count * args.channels()) * kNanosecondsToWrite;
  const double copy = IsInPlace(args, PackingOf(args.dim)) ? 0 : elements * kNanosecondsToCopy;
  const double pack = static_cast<double>(args.pixels() * args.channels()) *
                      (args.channels_first ? kNanosecondsToPackFirst : kNanosecondsToPack);
  const auto threads = static_cast<double>(plan.threads);
  const double few = common + copy;
  // Threads without bins wait for the others.
  const double many =
      (common + pack) * (threads / static_cast<double>(std::min(plan.threads, plan.bin_parts)));
  return {std::min(few, many), many < few};
}

// ---- Few RoIs -----------------------------------------------------------------------------------

void PoolFew(const Args& args, const BinTable& table, int64_t image, const RoiList& rois,
             const ThreadScratch& scratch, bool stream) {
  for (int64_t row = 0; row < args.group; ++row) {
    PoolFromInput(args, table, {image, row, 0, args.group}, rois.rois, rois.count, scratch.copies,
                  {scratch.means, scratch.sums, stream});
  }
}

// ---- Many RoIs ----------------------------------------------------------------------------------

// Returns the step that packs the last row of a RoI's bins, 0 for bins without rows, and the number
// of steps for bins that are too high for the ring.
int64_t StepOf(const Args& args, const BinTable& table, const Plan& plan, int64_t bin_row,
               int64_t roi) {
  const int64_t begin = table.row_begins(roi)[bin_row];
  const int64_t end = table.row_ends(roi)[bin_row];
  if (begin >= end) {
    return 0;
  }
  return end - begin > plan.max_bin_rows(args) ? plan.steps(args) : (end - 1) / plan.step_rows;
}

// Returns the number of rows that the highest bin needs. A ring has no more than that, so that it
// stays in the cache.
int64_t RingRowsOf(const Args& args, const BinTable& table, const Plan& plan, int64_t bin_row,
                   const RoiList& rois) {
  int64_t most = 1;
  for (int64_t i = 0; i < rois.count; ++i) {
    const int64_t rows =
        table.row_ends(rois.rois[i])[bin_row] - table.row_begins(rois.rois[i])[bin_row];
    most = rows <= plan.max_bin_rows(args) ? std::max(most, rows) : most;
  }
  return std::min(most + plan.step_rows - 1, plan.ring_rows);
}

// Returns a walk with its RoIs sorted. `order` and `step_begins` are memory for that.
Walk MakeWalk(const Args& args, const BinTable& table, const Plan& plan, const BinRow& bins,
              const RoiList& rois, float* ring, int32_t* order, int32_t* step_begins) {
  Walk walk{.bins = bins,
            .ring = ring,
            .ring_rows = plan.ring_rows,
            .order = rois.rois,
            .step_begins = step_begins};
  const int64_t steps = plan.steps(args);
  if (steps == 1) {
    step_begins[0] = 0;
    step_begins[1] = step_begins[2] = static_cast<int32_t>(rois.count);
    return walk;
  }
  CountingSort(
      rois.count, [&](int64_t i) { return rois.rois[i]; }, steps + 1,
      [&](int64_t roi) { return StepOf(args, table, plan, bins.row, roi); }, order, step_begins);
  walk.ring_rows = RingRowsOf(args, table, plan, bins.row, rois);
  walk.order = order;
  return walk;
}

// Makes the walks of the bins [begin, end), which are numbered row by row. Returns their number.
int64_t MakeWalks(const Args& args, const BinTable& table, const Plan& plan, int64_t image,
                  const RoiList& rois, int64_t begin, int64_t end, const ThreadScratch& scratch) {
  int64_t walks = 0;
  for (int64_t bin = begin; bin < end; ++walks) {
    const int64_t row = bin / args.group;
    const int64_t row_begin = row * args.group;
    const int64_t row_end = std::min(end, row_begin + args.group);
    scratch.walks[walks] =
        MakeWalk(args, table, plan, {image, row, bin - row_begin, row_end - row_begin}, rois,
                 scratch.rings + plan.ring_rows * RowFloats(args, bin - begin),
                 scratch.orders + walks * args.roi_count,
                 scratch.step_begins + walks * (plan.steps(args) + 2));
    bin = row_end;
  }
  return walks;
}

void PackStep(const Args& args, const Plan& plan, const Walk& walk, int64_t step) {
  const int64_t bin_floats = args.width * PackingOf(args.dim).floats();
  const int64_t y_end = std::min((step + 1) * plan.step_rows, args.height);
  for (int64_t y = step * plan.step_rows; y < y_end; ++y) {
    PackPixels(args, walk.bins, y, 0, args.width,
               walk.ring + y % walk.ring_rows * walk.bins.columns() * bin_floats, bin_floats);
  }
}

void PoolMany(const Args& args, const BinTable& table, const Plan& plan, int64_t image,
              const RoiList& rois, int64_t begin, int64_t end, const ThreadScratch& scratch) {
  const int64_t walks = MakeWalks(args, table, plan, image, rois, begin, end, scratch);
  const PoolBuffers buffers{scratch.means, scratch.sums, plan.stream};
  const int64_t steps = plan.steps(args);
  for (int64_t step = 0; step < steps; ++step) {
    for (int64_t i = 0; i < walks; ++i) {
      const Walk& walk = scratch.walks[i];
      PackStep(args, plan, walk, step);
      PoolFromRing(args, table, walk.bins, {walk.ring, walk.ring_rows},
                   walk.order + walk.step_begins[step],
                   walk.step_begins[step + 1] - walk.step_begins[step], buffers);
    }
  }
  for (int64_t i = 0; i < walks; ++i) {
    const Walk& walk = scratch.walks[i];
    PoolFromInput(args, table, walk.bins, walk.order + walk.step_begins[steps],
                  walk.step_begins[steps + 1] - walk.step_begins[steps], scratch.copies, buffers);
  }
}

// ---- Stages -------------------------------------------------------------------------------------

// Writes the mapping_channel of one RoI, which is the same for all.
void ListChannels(const Args& args, int32_t* channels) {
  for (int64_t ph = 0; ph < args.group; ++ph) {
    for (int64_t pw = 0; pw < args.group; ++pw) {
      for (int64_t d = 0; d < args.dim; ++d) {
        channels[args.OutputOffset(0, ph, pw, d)] = static_cast<int32_t>(args.ChannelOf(ph, pw, d));
      }
    }
  }
}

// Reads the batch indices of all RoIs. They are read only here: later stages use `images`.
Status ReadBatchIndices(const Args& args, int32_t* images) {
  for (int64_t roi = 0; roi < args.roi_count; ++roi) {
    const float number = ReadOnce(args.rois[roi * kRoiNumbers]);
    const std::optional<int64_t> image = ImageOf(args, number);
    if (!image) {
      return BatchIndexOutOfRange(args, roi, number);
    }
    images[roi] = static_cast<int32_t>(*image);
  }
  return {};
}

// Decides for each image whether its map is packed. Returns the estimated cost of all images.
double ChoosePacking(const Args& args, const BinTable& table, const Plan& plan,
                     const SharedScratch& shared) {
  double nanoseconds = 0;
  for (int64_t image = 0; image < args.images; ++image) {
    const Cost cost = CostOf(args, table, plan, RoisOf(shared, image));
    nanoseconds += cost.nanoseconds;
    shared.packs[image] = cost.packs;
  }
  return nanoseconds;
}

// Computes the results of one of plan.parts parts of an image.
void PoolPart(const Args& args, const BinTable& table, const Plan& plan,
              const SharedScratch& shared, int64_t image, int64_t part,
              const ThreadScratch& scratch) {
  const RoiList rois = RoisOf(shared, image);
  const RoiList rois_of_part = rois.Part(part, plan.parts);
  if (!shared.packs[image]) {
    PoolFew(args, table, image, rois_of_part, scratch, plan.stream);
  } else if (part < plan.bin_parts) {
    PoolMany(args, table, plan, image, rois, args.bins() * part / plan.bin_parts,
             args.bins() * (part + 1) / plan.bin_parts, scratch);
  }
  if (args.mapping_channel != nullptr) {
    WriteChannels(args, shared.channels, rois_of_part.rois, rois_of_part.count, plan.stream);
  }
}

}  // namespace

bool ShouldPack(const Args& args, const BinTable& table, const int32_t* rois, int64_t count,
                int threads) {
  return CostOf(args, table, MakePlan(args, threads), {rois, count}).packs;
}

size_t ScratchBytes(const Args& args, int threads) {
  const Plan plan = MakePlan(args, threads);
  return SharedBytes(args) + ThreadScratchBytes(args, plan) * static_cast<size_t>(plan.slots);
}

Status Run(RunContext& context, const Args& args) {
  const Plan plan = MakePlan(args, context.threads.count());
  Carver carver(context.scratch);
  const SharedScratch shared = TakeShared(args, carver);
  DETOPS_RETURN_IF_ERROR(ReadBatchIndices(args, shared.images));
  CountingSort(
      args.roi_count, [](int64_t roi) { return static_cast<int32_t>(roi); }, args.images,
      [&](int32_t roi) { return shared.images[roi]; }, shared.order, shared.image_begins);
  const BinTable table(shared.bins, args.group);
  ParallelFor(context.threads, args.roi_count, kNanosecondsPerRoi,
              [&](int64_t begin, int64_t end) { FindBins(args, begin, end, table); });
  if (args.mapping_channel != nullptr) {
    ListChannels(args, shared.channels);
  }
  const double nanoseconds = ChoosePacking(args, table, plan, shared);

  auto* const thread_scratch = static_cast<std::byte*>(context.scratch) + carver.used();
  const size_t thread_bytes = ThreadScratchBytes(args, plan);
  ScratchSlots slots(static_cast<int>(plan.slots));
  const int64_t tasks = args.images * plan.parts;
  ParallelFor(
      context.threads, tasks, nanoseconds / static_cast<double>(tasks),
      [&](int64_t begin, int64_t end) {
        const ScratchSlots::Held slot(slots);
        Carver slot_carver(thread_scratch + static_cast<size_t>(slot.number()) * thread_bytes);
        const ThreadScratch scratch = TakeThreadScratch(args, plan, slot_carver);
        for (int64_t task = begin; task < end; ++task) {
          PoolPart(args, table, plan, shared, task / plan.parts, task % plan.parts, scratch);
        }
      });
  return {};
}

}  // namespace detops::psroipool_forward
