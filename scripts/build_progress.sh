#!/usr/bin/env bash
# Reads ninja's lines and says how far it is: in one line on a terminal, else every 10 s.
# usage: ninja | build_progress.sh [SECONDS-BETWEEN-LINES]
set -euo pipefail

pause="${1:-10}"
begun=$SECONDS
shown=$SECONDS
while IFS= read -r line; do
  [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
  finished="${BASH_REMATCH[1]}" all="${BASH_REMATCH[2]}"
  ((finished > 0)) || continue # it looks for changed files first
  left="about $(((SECONDS - begun) * (all - finished) / finished)) s left"
  if [[ -t 2 ]]; then
    printf '\r[%s/%s] %s   ' "$finished" "$all" "$left" >&2
  elif ((SECONDS >= shown + pause)); then
    shown=$SECONDS
    echo "[$finished/$all] $left" >&2
  fi
done
[[ ! -t 2 ]] || printf '\r\033[K' >&2
