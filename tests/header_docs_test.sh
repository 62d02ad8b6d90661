#!/usr/bin/env bash
# Every function of the C headers has a comment with the fixed sections, in their order.
set -euo pipefail
source_dir=$1

for header in mlu_op.h cnrt.h; do
  awk -v header="$header" '
    BEGIN { split("Parameters Return Data_type Layout Limits Notes Example", sections, " ") }
    /^\/\*\*/ { comment = "" }
    /^ \*/ { comment = comment $0 "\n" }
    /^#|^}|^typedef/ { comment = "" }
    # The first line of a declaration: a type in the first column, a name and an opening parenthesis.
    /^[a-z][A-Za-z_0-9 ]*[ *]+(MLUOP_WIN_API )?\**(mluOp|cnrt|detops)[A-Z][A-Za-z0-9_]*\(/ || /^(mluOp|cnrt|detops)[A-Z][A-Za-z0-9_]*\(/ {
      match($0, /(mluOp|cnrt|detops)[A-Z][A-Za-z0-9_]*\(/)
      name = substr($0, RSTART, RLENGTH - 1)
      functions++
      rest = comment
      for (i = 1; i in sections; i++) {
        section = sections[i]
        sub("_", " ", section)
        at = index(rest, "\n * " section ": ")
        if (!at) { print header ": " name " has no section \"" section "\" in its place"; bad = 1; break }
        rest = substr(rest, at + 1)
      }
      comment = ""
    }
    END {
      if (functions < 20) { print header ": only " functions " functions were found"; bad = 1 }
      exit bad
    }' "$source_dir/include/$header"
done
