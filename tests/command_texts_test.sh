#!/usr/bin/env bash
# The manual page and the shell completions, which the command makes from its own help texts.
set -euo pipefail
build_dir=$2
detops=$build_dir/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "command_texts_test: $*" >&2; exit 1; }

# groff gives no warnings, and commands, options and examples are in the page.
"$detops" man >"$work/detops.1"
cmp "$work/detops.1" "$build_dir/cli/detops.1" || fail "the built manual page differs from what the command prints"
groff -man -Tutf8 -ww "$work/detops.1" >"$work/page" 2>"$work/complaints" || fail "groff failed"
[ ! -s "$work/complaints" ] || { cat "$work/complaints"; fail "groff complains"; }
page=$(sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' "$work/page" | tr -s ' \n' ' ')
for text in 'EXIT STATUS' 'apply poly_nms' '--iou-threshold' '--baseline' 'detops gen --suite -o suite' DETOPS_NUM_THREADS; do
  grep -qF -- "$text" <<<"$page" || fail "the manual page lacks '$text'"
done

# complete_bash LINE: the completions that bash offers, one per line.
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
[ -z "$(complete_bash 'detops apply poly_nms --pool')" ] || fail "poly_nms completes an option of another operator"

# zsh and fish can parse their scripts.
"$detops" completion zsh >"$work/_detops"
zsh -n "$work/_detops" || fail "zsh cannot read its completion"
"$detops" completion fish >"$work/detops.fish"
fish --no-execute "$work/detops.fish" || fail "fish cannot read its completion"
fish --no-config -c "source '$work/detops.fish'; complete -C 'detops apply poly_nms --iou'" | grep -q -- '--iou-threshold' ||
  fail "fish does not complete --iou-threshold"
