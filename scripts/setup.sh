# Sourced by scripts/run and scripts/test: installs what is missing, configures and builds. Every step
# is skipped when it has nothing to do. Writes only into the clone, except for Debian packages.
set -euo pipefail
DLC_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
DLC_BUILD=${DLC_BUILD:-$DLC_ROOT/build}
DLC_VENV=$DLC_ROOT/.venv
DLC_CACHE=$DLC_ROOT/.cache
DLC_LLVM=/usr/lib/llvm-22

dlc_started=$SECONDS
dlc_step() { printf '[%4d s] %s\n' $((SECONDS - dlc_started)) "$*" >&2; }
dlc_fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Runs a command with its output in a log; shows the end of the log if it fails.
dlc_logged() {
  local log=$1; shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    dlc_fail "'$*' failed; the whole output is in $log"
  fi
}

dlc_install_packages() {
  local missing=() name
  while read -r name _; do
    case $name in ''|'#'*) continue ;; esac
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done <"$DLC_ROOT/scripts/packages.txt"
  [ ${#missing[@]} -eq 0 ] && return
  dlc_step "installing ${#missing[@]} Debian packages: ${missing[*]}"
  [ "$(id -u)" = 0 ] || dlc_fail "install these packages as root first: apt-get install ${missing[*]}"
  dlc_logged "$DLC_CACHE/apt.log" apt-get update
  dlc_logged "$DLC_CACHE/apt.log" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"
}

dlc_install_python() {
  local requirements=$DLC_ROOT/python/requirements.txt stamp=$DLC_VENV/requirements.sha256 wanted
  wanted=$(sha256sum <"$requirements")
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  dlc_step "installing the Python packages into .venv"
  [ -x "$DLC_VENV/bin/python" ] || /usr/bin/python3 -m venv "$DLC_VENV"
  dlc_logged "$DLC_CACHE/pip.log" "$DLC_VENV/bin/python" -m pip install --quiet \
    --disable-pip-version-check -r "$requirements"
  echo "$wanted" >"$stamp"
}

dlc_build() {
  export PATH=$DLC_LLVM/bin:$PATH
  # An object is the same wherever the clone is; the compiled header is no obstacle.
  export CCACHE_BASEDIR=$DLC_ROOT CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale
  if [ ! -f "$DLC_BUILD/build.ninja" ]; then
    dlc_step "configuring"
    dlc_logged "$DLC_CACHE/cmake.log" cmake -S "$DLC_ROOT" -B "$DLC_BUILD" -G Ninja \
      -DCMAKE_BUILD_TYPE=Release -DMLIR_DIR=$DLC_LLVM/lib/cmake/mlir \
      -DCMAKE_C_COMPILER=$DLC_LLVM/bin/clang -DCMAKE_CXX_COMPILER=$DLC_LLVM/bin/clang++ \
      -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
      -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld \
      -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld -DPython_EXECUTABLE="$DLC_VENV/bin/python"
  fi
  dlc_step "building"
  # ninja's own progress line, when somebody watches.
  if [ -t 2 ]; then
    ninja -C "$DLC_BUILD" >&2 || dlc_fail "the build failed"
  else
    dlc_logged "$DLC_CACHE/build.log" ninja -C "$DLC_BUILD"
  fi
}

mkdir -p "$DLC_CACHE"
dlc_install_packages
dlc_install_python
dlc_build
"$DLC_VENV/bin/python" "$DLC_ROOT/scripts/models.py" "$DLC_CACHE/models"
export PYTHONPATH=$DLC_BUILD/python${PYTHONPATH:+:$PYTHONPATH}
export DLC_TEST_MODELS=$DLC_CACHE/models
