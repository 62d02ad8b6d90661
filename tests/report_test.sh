#!/usr/bin/env bash
# The report in a browser: everything is present and visible, nothing overflows on a phone, a tablet or a desktop, in
# light and dark mode, and the page can be printed.
set -euo pipefail
source_dir=$1
detops=$2/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "report_test: $*" >&2; exit 1; }

command -v chromium >/dev/null || fail "chromium is not installed; cmake/install_packages.sh test installs it"

# browse OPTION... URL: runs the browser without a network and without the user's profile.
browse() {
  HOME=$work timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
    --user-data-dir="$work/profile" --host-resolver-rules='MAP * ~NOTFOUND' "$@" 2>"$work/browser.log" ||
    fail "chromium failed: $(tail -5 "$work/browser.log")"
}

# names WORD...: prints a JavaScript list.
names() { local IFS=,; echo "[${*@Q}]"; }

# expected: prints the charts, tables and pictures that the page must have for the operators of this build.
expected() {
  local op charts=(roofline) tables=(machine limits accuracy roofline) pictures=()
  for op in $("$detops" list | awk '{ print $1 }'); do
    charts+=("time-$op" "speedup-$op")
    tables+=("cases-$op" "bench-$op")
    pictures+=("$op")
  done
  echo "{chart: $(names "${charts[@]}"), table: $(names "${tables[@]}"), picture: $(names "${pictures[@]}")}"
}

# look SCHEME NUMBER: prints the findings in that color scheme, which has that number in Blink, then a line "done".
look() {
  {
    echo '<!DOCTYPE html><meta charset="utf-8"><body><script>'
    echo "const SCHEME = '$1';"
    echo "const EXPECTED = $(expected);"
    echo "const REPORT = '$(base64 -w 0 "$work/report.html")';"
    cat "$source_dir/tests/report_page.js"
    echo '</script>'
  } >"$work/$1.html"
  browse --blink-settings=preferredColorScheme="$2" --virtual-time-budget=60000 --dump-dom "file://$work/$1.html" \
    >"$work/$1.dom"
  sed -n '/<pre id="findings">/,/<\/pre>/p' "$work/$1.dom" | sed 's/<[^>]*>//g'
}

"$detops" report --quick -o "$work/report.html" || fail "detops report failed"

for scheme in 'dark 0' 'light 1'; do
  # shellcheck disable=SC2086
  look $scheme >"$work/findings"
  grep -q '^done: ' "$work/findings" || fail "the check in the browser did not end: $(tail -5 "$work/browser.log")"
  if ! grep -q '^done: 0 findings$' "$work/findings"; then
    head -40 "$work/findings" >&2
    fail "the report has the problems above"
  fi
done

browse --print-to-pdf="$work/report.pdf" --no-pdf-header-footer "file://$work/report.html"
[ "$(head -c 5 "$work/report.pdf")" = %PDF- ] || fail "printing the report gave no PDF"
[ "$(stat -c %s "$work/report.pdf")" -gt 20000 ] || fail "the printed report is empty"
