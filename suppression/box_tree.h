// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// A priority R-tree (Arge, de Berg, Haverkort, Yi 2004): finds the boxes near a box in any scene.
// With n boxes and leaves of B boxes, a search visits O(sqrt(n / B)) leaves besides those with
// boxes that it must find. It takes longer to build than a grid, so it serves scenes in which the
// cells of a grid have too many boxes or are too many: for example tall bars beside flat ones,
// everywhere.

#ifndef DETOPS_SUPPRESSION_BOX_TREE_H_
#define DETOPS_SUPPRESSION_BOX_TREE_H_

#include <cstdint>

#include "suppression/grid.h"

namespace detops::suppression {

class BoxTree {
 public:
  // Boxes of a leaf: one or two vectors.
  static constexpr int64_t kLeaf = 16;

  // Nodes are in depth-first order.
  struct Node {
    Bounds bounds;
    int32_t next;  // the node after this one and its descendants
    int32_t leaf;  // -1 for inner nodes
  };

  // Returns an upper bound of the number of nodes for `count` boxes. Only the last leaf of a node
  // has less than kLeaf / 2 boxes, and it has other leaves.
  static int64_t MaxNodes(int64_t count) { return count / 4 + 2; }

  struct Item {
    Bounds bounds;
    int32_t index;  // for the caller
  };

  // Sorts at least one item into leaves. `leaf_begin` receives the position of the first item of
  // each leaf, then `count`. `nodes` has room for MaxNodes and must outlive the tree.
  BoxTree(Item* items, int64_t count, int32_t* leaf_begin, Node* nodes);

  int64_t leaves() const { return leaves_; }
  int64_t nodes() const { return node_count_; }

  // Iterates over the leaves whose boxes may overlap `bounds`.
  class Neighbors {
   public:
    Neighbors(const BoxTree& tree, const Bounds& bounds) : tree_(tree), bounds_(bounds) {}
    // Returns false after the last leaf. Adds the number of visited nodes to `work`.
    bool Next(CellSpan& span, int64_t& work);

   private:
    const BoxTree& tree_;
    const Bounds bounds_;
    int32_t node_ = 0;
  };

 private:
  struct Builder;

  const Node* nodes_;
  int32_t node_count_ = 0;
  int32_t leaves_ = 0;
};

}  // namespace detops::suppression

#endif  // DETOPS_SUPPRESSION_BOX_TREE_H_
