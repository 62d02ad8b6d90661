#!/usr/bin/env bash
# Prints the line coverage of core, runtime and ops after a run of the tests, by folder and for each file that is not covered whole, and
# fails where a folder has less than it must: coverage.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
least=95 # percent

# Tests, and what only tests and benchmarks use, are not what is measured.
gcovr --root . --filter core/ --filter runtime/ --filter ops/ --exclude '.*(_test|/test|/bench|/fuzz|/cases)\.(cc|h)$' \
  --gcov-ignore-parse-errors --csv "$build" >"$build/coverage.csv"

awk -F, -v least="$least" '
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  {
    total = $column["line_total"]; covered = $column["line_covered"]; name = $column["filename"]
    if (total == 0) next
    split(name, parts, "/")
    folder = parts[1] == "ops" ? parts[1] "/" parts[2] : parts[1]
    lines[folder] += total; hit[folder] += covered; lines[parts[1] "/*"] += total; hit[parts[1] "/*"] += covered
    if (covered < total) partly[name] = sprintf("%5.1f%%  %4d of %4d lines", 100 * covered / total, covered, total)
  }
  END {
    for (name in partly) print "  " partly[name] "  " name | "sort -k5"
    close("sort -k5")
    print ""
    for (folder in lines) {
      share = 100 * hit[folder] / lines[folder]
      printf "%-28s %5.1f%% of %5d lines%s\n", folder, share, lines[folder], share < least ? "  less than " least "%" : "" | "sort"
      if (share < least) failed = 1
    }
    close("sort")
    if (length(lines) == 0) { print "coverage: nothing was measured"; failed = 1 }
    exit failed
  }' "$build/coverage.csv"
