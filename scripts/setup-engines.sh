#!/usr/bin/env bash
# Makes one virtual environment for each engine where the launcher looks for them, from pinned and hashed lists
# (workers/python/locks). Environments that are up to date are left alone; two runs at once wait for each other.
# usage: setup-engines.sh [--prefix DIR] [--python PYTHON] [--wheelhouse DIR] [NAME...]
#   NAME              torch, tensorflow, jax, or optuna, which is no engine but searches; or an older version, as
#                     tensorflow-1.15 (a file of workers/python/locks). Without a name: all but older versions
#   --prefix DIR      instead of ${XDG_CACHE_HOME:-~/.cache}/regatta/engines
#   --python PYTHON   the interpreter to build on (default: python3; for an older version the Python that it needs,
#                     looked for in PATH, in pyenv and in conda)
#   --wheelhouse DIR  installs from the wheels in DIR, without a network; fill DIR elsewhere with
#                     pip download --no-deps --require-hashes -r workers/python/locks/NAME.txt -d DIR
# REGATTA_TORCH_INDEX=URL takes torch of the same version from that package index, which may have smaller wheels
# without CUDA; their hashes are not checked.
set -euo pipefail
locks="$(cd "$(dirname "${BASH_SOURCE[0]}")/../workers/python/locks" && pwd)"
prefix="${XDG_CACHE_HOME:-$HOME/.cache}/regatta/engines"
given_python=""
wheelhouse=""
lock_wait_seconds=3600

die() {
  echo "setup-engines.sh: $1" >&2
  exit "${2:-1}"
}

# gigabytes_needed NAME: while installing, wheels included.
gigabytes_needed() {
  case "$1" in
    torch*) echo 9 ;;
    tensorflow*) echo 3 ;;
    *) echo 1 ;;
  esac
}

module_of() { echo "${1%%-*}"; }

# The packages that the environment has to hold, and the Python they are for.
wanted_stamp() {
  "$python" -c 'import sys; print(sys.version.split()[0], sys.executable)'
  echo "index ${REGATTA_TORCH_INDEX:-}"
  sha256sum <"$locks/$1.txt"
}

check_room() {
  local free
  free="$(df --output=avail -B1G "$prefix" | tail -1 | tr -d ' ')"
  [[ $free -ge $(gigabytes_needed "$1") ]] ||
    die "$1 needs $(gigabytes_needed "$1") GB in $prefix while it is installed ($free GB are free); make room, or give another --prefix"
}

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

# needed_python NAME: "3.7" where the packages are for one version alone, else nothing.
needed_python() { sed -n 's/^# python //p' "$locks/$1.in"; }

# python_for VERSION: an interpreter of that version: in PATH, in pyenv or in conda.
python_for() {
  local candidate
  for candidate in "python$1" python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python \
    "${CONDA_PREFIX:-}"/envs/*/bin/python "$HOME"/.conda/envs/*/bin/python "$HOME"/mini*3/envs/*/bin/python; do
    if [[ "$(version_of "$candidate")" == "$1" ]]; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# choose_python NAME: sets `python`, or says before anything is downloaded why there is none.
choose_python() {
  local needed version
  needed="$(needed_python "$1")"
  python="${given_python:-python3}"
  if [[ -n $needed && -z $given_python ]]; then
    python="$(python_for "$needed")" ||
      die "$1 needs Python $needed, and none was found in PATH, pyenv or conda; 'pyenv install $needed' or 'conda create -n py$needed python=$needed' makes one, --python names it"
  fi
  version="$(version_of "$python")" || die "'$python' does not run; give another --python"
  [[ -z $needed || $version == "$needed" ]] ||
    die "$1 has packages for Python $needed ('$python' is $version); give another --python, or none"
  [[ -n $needed || ${version#*.} -ge 11 ]] ||
    die "'$python' is older than 3.11, which the pinned packages need; give another --python"
}

pip_install() {
  local folder="$1"
  shift
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-input "$@" >&2
}

install_packages() {
  local name="$1" folder="$2" source=() without_wheel
  [[ -z $wheelhouse ]] || source=(--no-index --find-links "$wheelhouse")
  without_wheel="$(sed -n 's/^# source //p' "$locks/$name.in")"
  if [[ $name == torch && -n ${REGATTA_TORCH_INDEX:-} ]]; then
    pip_install "$folder" --index-url "$REGATTA_TORCH_INDEX" "$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' "$locks/torch.txt")" numpy
  else
    # The list is complete, so nothing may be added to it; TensorFlow's Keras 2 would bring a second TensorFlow.
    pip_install "$folder" "${source[@]}" --require-hashes --no-deps --only-binary :all: \
      ${without_wheel:+--no-binary "$without_wheel" --no-build-isolation} -r "$locks/$name.txt"
  fi
}

report() {
  local name="$1" folder="$2" seconds="$3" module size version
  module="$(module_of "$name")"
  size="$(du -s -B1M "$folder" | cut -f1)"
  version="$("$folder/bin/python" -c "import $module; print($module.__version__)" 2>/dev/null)" ||
    die "$name is installed in $folder, but 'import $module' fails; run $folder/bin/python -c 'import $module' to see why"
  echo "$name: $module $version, $size MB, $seconds s, $folder"
}

# Older versions are set up by name only.
all_names() {
  local file
  for file in "$locks"/*.txt; do
    file="$(basename "$file" .txt)"
    [[ $file == *-* ]] || echo "$file"
  done
}

# set_up NAME: runs with the name's lock held.
set_up() {
  local name="$1" folder="$prefix/$1" stamp="$prefix/$1/.regatta-environment" start=$SECONDS
  if [[ -f $stamp && "$(cat "$stamp")" == "$(wanted_stamp "$name")" ]]; then
    report "$name" "$folder" 0
    return
  fi
  [[ ! -e $folder || -f $stamp ]] || die "$folder was not made by this script; move it away, or give another --prefix"
  check_room "$name"
  rm -rf "$folder"
  mkdir -p "$folder"
  echo "incomplete" >"$stamp"
  "$python" -m venv "$folder" >&2 || die "'$python -m venv' failed; on Debian: apt-get install python3-venv"
  install_packages "$name" "$folder" || die "installing $name failed (pip's message stands above)"
  report "$name" "$folder" $((SECONDS - start))
  wanted_stamp "$name" >"$stamp"
}

main() {
  local names=() name
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --prefix | --python | --wheelhouse)
        [[ $# -gt 1 ]] || die "$1 needs a value" 2
        case "$1" in
          --prefix) prefix="$2" ;;
          --python) given_python="$2" ;;
          --wheelhouse) wheelhouse="$2" ;;
        esac
        shift
        ;;
      -*) die "no option $1; usage: setup-engines.sh [--prefix DIR] [--python PYTHON] [--wheelhouse DIR] [NAME...]" 2 ;;
      *)
        [[ -f $locks/$1.txt ]] || die "no environment '$1'; there are: $(cd "$locks" && echo *.txt | sed 's/\.txt//g')" 2
        names+=("$1")
        ;;
    esac
    shift
  done
  [[ ${#names[@]} -gt 0 ]] || mapfile -t names < <(all_names)
  [[ -z $wheelhouse || -d $wheelhouse ]] || die "there is no folder '$wheelhouse'" 2
  mkdir -p "$prefix"
  for name in "${names[@]}"; do
    choose_python "$name"
    (
      flock --wait "$lock_wait_seconds" 9 || die "another setup of $name has been running for $lock_wait_seconds s"
      set_up "$name" 9>&-
    ) 9>"$prefix/.$name.lock"
  done
}

main "$@"
