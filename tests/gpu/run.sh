#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# All that a GPU machine must show, in one command below ten minutes: builds the CUDA kernels on a bare node (a C++20
# compiler, nvcc 12 or later, cmake 3.25 or later and oneTBB are all it needs) and compares a GPU with the CPU: rows of
# visibility bit for bit; rays over the roofs, bounces, scattered power and whole predictions within 0.01 dB on every
# tile. Repeats all for the same bits, looks for memory faults and races with compute-sanitizer where that is
# installed, and prints times beside their bars, and the shares of the GPU's peak.
#
# Usage: tests/gpu/run.sh [CITY.tscene]     a scene of exportscene, at most 50 MiB; without one a synthetic city of
#                                           20 km² with 414,559 tiles
# Exit status: 0 when all is equal and clean; 1 when something is not, or was not finished; 2 when it could not be built
# or the scene is none; 3 when there is no GPU. A missed bar changes none: bars are for an H200.
# TESSERAY_GPU_BUILD: where to build; JOBS: compilers at once; TESSERAY_GPU_LIMIT_S: when to stop, 590 s.
#
# What it should take on 16 cores with an H200, in seconds, from the processor's times over 20 km² (five bounces 28, 39
# and 129 processor seconds, visibility 130) and the bars: building 120; all programs on the small city 20;
# compute-sanitizer there 90; all rays over 1 km² 15; over 20 km² visibility 30 (five times by the GPU, once by the CPU),
# rays over the roofs 25, bounces 40, scattered power 40, whole predictions 150: 3 launches by the GPU and one by the CPU
# for each antenna, with three and with five bounces, 50, 100 transmitters at most 60 and three of them alone. With an
# H100 (docs/benchmarks/gpu.md) visibility took 45, launches with five bounces 90, 100 transmitters would take 240: too
# long for all of it.
set -uo pipefail
cd "$(dirname "$0")/../.."
[ $# -le 1 ] || { echo "usage: $0 [CITY.tscene]" >&2; exit 2; }
build=${TESSERAY_GPU_BUILD:-build/gpu}
limit_s=${TESSERAY_GPU_LIMIT_S:-590}
programs=(gpu_visibility gpu_over_rooftop gpu_bounces gpu_scattering gpu_launches)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

missing() { echo "$1" >&2; exit 2; }
city=${1:-}
check_size() {
  local size
  size=$(stat -c %s "$city") || missing "there is no scene $city"
  echo "$city: $((size / 1024)) KiB"
  ((size < 50 * 1024 * 1024)) || missing "$city is not below 50 MiB: export a smaller one"
}
[ -z "$city" ] || check_size
command -v cmake >/dev/null || missing "cmake is not installed: apt install cmake, or pip install cmake (3.25 or later)"
# oneTBB of pip (tbb-devel) lies where Python does.
if command -v python3 >/dev/null; then
  pip_folders=$(python3 -c 'import site, sys; print(sys.prefix + ";" + site.getuserbase())')
  export CMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH:+$CMAKE_PREFIX_PATH:}${pip_folders/;/:}
fi
if ! cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DTESSERAY_IO=OFF -DTESSERAY_TESTS=OFF -DTESSERAY_GPU_TESTS=ON \
    -DTESSERAY_CUDA=ON >"$log" 2>&1; then
  cat "$log" >&2
  if grep -q 'TBBConfig\|"TBB"' "$log"; then missing "oneTBB is not installed: apt install libtbb-dev, or pip install tbb-devel"; fi
  if grep -q 'or higher is required' "$log"; then missing "cmake is too old: pip install cmake"; fi
  missing "cmake could not prepare the build in $build"
fi
cmake --build "$build" --target gpu_scene "${programs[@]}" --parallel "${JOBS:-$(nproc)}" >"$log" 2>&1 ||
  { tail -n 60 "$log" >&2; missing "the build failed"; }
echo "built after $SECONDS s"

summary=()
bars=()
all_good=true
# step NAME COMMAND...: runs it in the time that is left, whatever came before.
step() {
  local name=$1 begin=$SECONDS left=$((limit_s - SECONDS)) status=0 said
  shift
  echo
  echo "== $name"
  if ((left > 0)); then
    # By lines, so that what was said is not lost when the time is over.
    timeout --kill-after=5 "$left" stdbuf -oL "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    mapfile -t -O "${#bars[@]}" bars < <(grep '^bar: ' "$log")
  else
    status=124
  fi
  case $status in
    0) said=good ;;
    1) said="NOT GOOD" ;;
    124 | 137) said="NOT FINISHED: the $limit_s s are over (what is built stays: run it again)" ;;
    *) said="FAILED with exit status $status" ;;
  esac
  [ "$status" -eq 0 ] || all_good=false
  summary+=("$(printf '%-44s %5d s  %s' "$name" $((SECONDS - begin)) "$said")")
  return "$status"
}

# Small, for what slows everything down a hundred times, but with all: streets, roofs, vegetation.
small_city=250
step "small city: gpu_visibility" "$build/bin/gpu_visibility" "$small_city"
[ $? -ne 3 ] || { echo "there is no GPU: nothing was checked" >&2; exit 3; }
for program in "${programs[@]:1}"; do
  step "small city: $program" "$build/bin/$program" "$small_city"
done
step "all rays over 1 km²: gpu_launches" "$build/bin/gpu_launches" 1000 --transmitters 16 --pruning-from 1000000

if [ -z "$city" ]; then
  city=$build/city.tscene
  "$build/bin/gpu_scene" 4480 "$city" || missing "the scene file could not be written"
  check_size
fi
for program in gpu_visibility gpu_launches gpu_over_rooftop gpu_bounces gpu_scattering; do
  step "city: $program" "$build/bin/$program" "$city"
done

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -n "$sanitizer" ]; then
  for program in "${programs[@]}"; do
    options=()
    [ "$program" != gpu_launches ] || options=(--bounces 5 --transmitters 2 --pruning-from 0)
    for tool in memcheck racecheck synccheck; do
      step "$tool: $program" "$sanitizer" --tool "$tool" --error-exitcode 1 "$build/bin/$program" "$small_city" \
        --only-gpu "${options[@]}"
    done
  done
fi

echo
printf '%s\n' "${summary[@]}" "${bars[@]}"
[ -n "$sanitizer" ] || echo "compute-sanitizer is not installed: memory faults and races were not looked for"
echo "$SECONDS s in all"
$all_good && echo "all is equal and clean" || { echo "NOT all is good"; exit 1; }
