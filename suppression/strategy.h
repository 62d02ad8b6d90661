// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Chooses the strategy of a group by estimated cost (costs.h). Results do not depend on it.

#ifndef DETOPS_SUPPRESSION_STRATEGY_H_
#define DETOPS_SUPPRESSION_STRATEGY_H_

#include <cstdint>

#include "suppression/group.h"
#include "suppression/workspace.h"

namespace detops::suppression {

enum class Strategy { kInOrder, kPairs, kBlocks };

// How far the in-order strategy has come: the boxes that it has decided, and those it has kept.
struct Progress {
  int64_t decided = 0;
  int64_t kept = 0;
};

// How many others a box meets, on average.
struct Density {
  double overlaps;          // boxes whose bounds overlap its own
  double partners;          // boxes that exceed the threshold with it
  double in_cells;          // boxes in the cells of a grid that it searches
  double in_cells_of_kept;  // the same with the larger cells that hold kept boxes
};

// Measures the density with a sample of the boxes. Uses the block of the workspace, and the records
// of as many last boxes as the sample has.
Density MeasureDensity(const Group& group, const Workspace& space);

// Predicts how many boxes will be kept. Assumes that boxes belong to objects, at random, and that
// the first box of each object is kept: then n boxes have objects * (1 - exp(-n / objects)) kept
// ones. The progress shows how many objects there are: the fewer of its boxes were kept, the fewer.
// Assumes one and a half standard deviations more suppressed boxes than there were: to decide a few
// boxes more costs little, but a strategy that was given up too early is not resumed.
class KeptForecast {
 public:
  explicit KeptForecast(const Progress& progress);

  double objects() const { return objects_; }
  double KeptOf(double boxes) const;
  // Returns the expected number of kept boxes that the box after these is tested against: all of
  // them when it is kept, half of them when one of them suppresses it.
  double TestsAfter(double boxes) const;

 private:
  double objects_;
};

// Chooses the fastest way to go on for a group whose first boxes were decided in order.
class StrategyChooser {
 public:
  StrategyChooser(const Group& group, const Workspace& space) : group_(group), space_(space) {}

  // Measures the density when it matters, once.
  Strategy Choose(const Progress& progress);
  // Choose must have returned another strategy than kInOrder.
  const Density& density() const { return density_; }
  // Returns the time to find the pairs of a box.
  double NanosecondsToSearch(const Density& density) const;

 private:
  // The expected time of a strategy, in nanoseconds.
  struct Cost {
    double serial;    // on one thread
    double parallel;  // shared by all threads
    double loops;     // parallel loops, each of which costs time to share
  };
  double TimeOf(const Cost& cost) const;
  double InOrderTime(const Progress& progress) const;
  double PairsTime(double boxes, const Density& density) const;
  double BlocksTime(double boxes, double candidates, const Density& density) const;

  const Group& group_;
  const Workspace& space_;
  bool has_density_ = false;
  Density density_{};  // no overlaps until it is measured
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_STRATEGY_H_
