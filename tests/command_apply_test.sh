#!/usr/bin/env bash
# `detops apply` on NumPy files.
set -euo pipefail
detops=$2/bin/detops
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "command_apply_test: $*" >&2; exit 1; }

# npy FILE DESCR SHAPE FORTRAN PACK NUMBERS...: writes a .npy file as NumPy does.
npy() {
  perl -e '
    my ($file, $descr, $shape, $fortran, $pack, @numbers) = @ARGV;
    my $header = "{\x27descr\x27: \x27$descr\x27, \x27fortran_order\x27: $fortran, \x27shape\x27: ($shape), }";
    $header .= " " x (63 - (10 + length $header) % 64) . "\n";
    open my $out, ">:raw", $file or die;
    print $out "\x93NUMPY\x01\x00", pack("v", length $header), $header, pack("$pack*", @numbers);' "$@"
}
# numbers FILE PACK: prints the numbers of a .npy file, then its header.
numbers() { perl -e '
    open my $in, "<:raw", $ARGV[0] or die; local $/; my $all = <$in>;
    my $length = unpack "v", substr($all, 8, 2);
    my $header = substr($all, 10, $length); $header =~ s/\s+$//;
    print join(" ", unpack("$ARGV[1]*", substr($all, 10 + $length))), " $header\n";' "$@"; }
refuses() { # PATTERN ARGUMENTS...
  local pattern=$1 status=0
  shift
  "$detops" apply "$@" >out 2>err || status=$?
  [ $status = 2 ] || { cat err; fail "'apply $*' exited with $status"; }
  [ "$(wc -l <err)" = 1 ] || { cat err; fail "'apply $*' did not print one line"; }
  grep -q -- "$pattern" err || { cat err; fail "'apply $*' does not print '$pattern'"; }
  [ ! -e out.npy ] && [ ! -e out.npz ] || fail "'apply $*' left a file"
  [ -z "$(find . -name '*.tmp*' -o -name '.*out*')" ] || fail "'apply $*' left $(find . -name '*.tmp*')"
}

npy a.npy '<f4' '2, 4' False 'f<' 0 0 10 10 10 10 20 20
npy b.npy '<f4' '3, 4' False 'f<' 0 0 10 20 0 10 10 19 10 10 20 20
"$detops" apply bbox_overlaps -i a.npy -i b.npy -o ious.npy || fail "bbox_overlaps failed"
[ "$(numbers ious.npy 'f<')" = "0.5 0 0 0 0 1 {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" ] ||
  fail "bbox_overlaps gave $(numbers ious.npy 'f<')"
"$detops" apply bbox_overlaps -i a.npy -i b.npy -o iof.npy --mode 1 --offset 1 --threads 1 --queue || fail "options failed"
! cmp -s ious.npy iof.npy || fail "parameters have no effect"
"$detops" apply bbox_overlaps -i a.npy -i a.npy --aligned -o aligned.npy
[[ $(numbers aligned.npy 'f<') == "1 1 {"*"(2,)"* ]] || fail "aligned gave $(numbers aligned.npy 'f<')"
npy h.npy '<f2' '1, 4' False v 0 0 18688 18688
"$detops" apply bbox_overlaps -i h.npy -i h.npy -o half.npy
[[ $(numbers half.npy v) == "15360 {"* ]] || fail "half gave $(numbers half.npy v)"

# Only the rows that were written; one archive for all outputs, and back from it.
npy quads.npy '<f4' '3, 9' False 'f<' 0 0 10 0 10 10 0 10 0.9 1 0 11 0 11 10 1 10 0.8 50 50 60 50 60 60 50 60 0.7
"$detops" apply poly_nms -i quads.npy -o kept.npy --iou-threshold 0.3
[[ $(numbers kept.npy 'l<') == "0 2 {"*"(2,)"* ]] || fail "poly_nms gave $(numbers kept.npy 'l<')"
"$detops" apply poly_nms -i quads.npy -o kept.npz --iou-threshold 0.3
[ -s kept.npz ] || fail "no archive"
npy four.npy '<f4' '4, 4' False 'f<' 0 0 10 20 0 10 10 19 10 10 20 20 0 0 1 1
"$detops" apply bbox_overlaps -i a.npy -i four.npy -o matrix.npz
"$detops" apply bbox_overlaps -i matrix.npz:ious -i b.npy -o back.npy || fail "an archive that apply wrote cannot be read"
[[ $(numbers back.npy 'f<') == *"(2, 3)"* ]] || fail "the archive gave $(numbers back.npy 'f<')"
refuses "matrix.npz: .*nothing.*ious" bbox_overlaps -i matrix.npz:nothing -i b.npy -o out.npy
"$detops" apply poly_nms -i quads.npy -o a_kept.npy -o count.npy --iou-threshold 0.3
[[ $(numbers count.npy 'l<') == "2 {"* ]] || fail "the count is $(numbers count.npy 'l<')"
npy none.npy '<f4' '0, 4' False 'f<'
"$detops" apply bbox_overlaps -i none.npy -i b.npy -o empty.npy
[[ $(numbers empty.npy 'f<') == " {"*"(0, 3)"* ]] || fail "no boxes gave $(numbers empty.npy 'f<')"

# Unusable input and output.
npy f64.npy '<f8' '2, 4' False 'd<' 0 0 10 10 10 10 20 20
npy fortran.npy '<f4' '2, 4' True 'f<' 0 0 10 10 10 10 20 20
npy flat.npy '<f4' '8,' False 'f<' 0 0 10 10 10 10 20 20
head -c 150 a.npy >short.npy
refuses 'f64.npy: .*float64' bbox_overlaps -i f64.npy -i b.npy -o out.npy
refuses 'fortran.npy: .*[Ff]ortran' bbox_overlaps -i fortran.npy -i b.npy -o out.npy
refuses 'short.npy: ' bbox_overlaps -i short.npy -i b.npy -o out.npy
refuses 'nowhere.npy: ' bbox_overlaps -i nowhere.npy -i b.npy -o out.npy
refuses 'mluOpBboxOverlaps: bbox1 has shape float\[8\]; it must have rank 2' bbox_overlaps -i flat.npy -i b.npy -o out.npy
refuses 'mluOpBboxOverlaps: mode is 5' bbox_overlaps -i a.npy -i b.npy --mode 5 -o out.npy
refuses '1 arrays' bbox_overlaps -i a.npy -o out.npy
refuses '-o was given 2 times' bbox_overlaps -i a.npy -i b.npy -o out.npy -o more.npy
refuses '/nonexistent/out.npy' bbox_overlaps -i a.npy -i b.npy -o /nonexistent/out.npy
refuses 'out.npy: is given for two outputs' poly_nms -i quads.npy -o out.npy -o ./out.npy
# The second output cannot be written, so the first is not either.
refuses '/nonexistent/out.npy' poly_nms -i quads.npy -o out.npy -o /nonexistent/out.npy
refuses '/dev/full' bbox_overlaps -i a.npy -i b.npy -o /dev/full
