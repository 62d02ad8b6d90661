#!/usr/bin/env bash
# The manual page and the shells' completions: made from the command's own texts, and right for those who read them.
set -euo pipefail
build_dir=$2
detops=$build_dir/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "command_texts_test: $*" >&2; exit 1; }

# roff has nothing to complain about, and every command, option and example is there.
"$detops" man >"$work/detops.1"
cmp "$work/detops.1" "$build_dir/cli/detops.1" || fail "the built manual page is not the command's"
groff -man -Tutf8 -ww "$work/detops.1" >"$work/page" 2>"$work/complaints" || fail "groff failed"
[ ! -s "$work/complaints" ] || { cat "$work/complaints"; fail "groff complains"; }
page=$(sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' "$work/page" | tr -s ' \n' ' ')
for text in 'EXIT STATUS' 'apply poly_nms' '--iou-threshold' '--baseline' 'detops gen --suite -o suite' DETOPS_NUM_THREADS; do
  grep -qF -- "$text" <<<"$page" || fail "the manual page lacks '$text'"
done

# bash, in a bash: LINE -> what may follow.
complete_bash() {
  bash --norc -c '
    source <("$1" completion bash)
    read -ra COMP_WORDS <<<"$2"; [[ $2 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _detops; printf "%s\n" "${COMPREPLY[@]}"' - "$detops" "$1"
}
expect() { # LINE WORD
  complete_bash "$1" | grep -qxF -- "$2" || fail "'$1' does not complete to '$2': $(complete_bash "$1" | tr '\n' ' ')"
}
expect 'detops re' report
expect 'detops apply poly' poly_nms
expect 'detops apply poly_nms --iou' --iou-threshold
expect 'detops bench bbox' bbox_overlaps
expect 'detops run --q' --queue
expect 'detops completion z' zsh
[ -z "$(complete_bash 'detops apply poly_nms --pool')" ] || fail "poly_nms completes another operator's option"

# zsh and fish: scripts that these shells can read.
"$detops" completion zsh >"$work/_detops"
zsh -n "$work/_detops" || fail "zsh cannot read its completion"
"$detops" completion fish >"$work/detops.fish"
fish --no-execute "$work/detops.fish" || fail "fish cannot read its completion"
fish --no-config -c "source '$work/detops.fish'; complete -C 'detops apply poly_nms --iou'" | grep -q -- '--iou-threshold' ||
  fail "fish does not complete --iou-threshold"
