# common.sh - what the scripts of this folder share; sourced.
# shellcheck shell=bash
work=$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX")
trap 'rm -rf "$work"' EXIT
tried=0 failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# Of what comes after: 10 s of CPU, 4 GiB of addresses.
limits() {
  ulimit -t 10 -v $((4 << 20)) -c 0
}

summary() {
  echo "$1: $tried tried, $failures failed"
  [[ $failures == 0 ]]
}

# Every line of a table has as many fields as its first.
check_lines() { # case, file
  if [[ ! -s $2 ]]; then
    fail "$1: $(basename "$2") is empty"
  elif [[ -n $(tail -c 1 "$2") ]] ||
    ! awk -F, '/^#/ { next } !width { width = NF } NF != width { bad = 1 } END { exit bad }' "$2"; then
    fail "$1: $(basename "$2") has a line that is not whole"
  fi
}

# How many rows results have; nothing if they cannot be read.
rows_of() {
  case $1 in
    *.csv) grep -cv '^#' "$1" ;;
    *) h5dump -H -d time "$1" 2>/dev/null | sed -n 's/.*DATASPACE  SIMPLE { ( \([0-9]*\) ).*/\1/p' ;;
  esac
}

# Results can be read. They are complete if the run ended (exit code 0), and else only if they have all
# rows: a run may be killed after them.
check_results() { # case, file, exit code, rows of the whole run
  local says=no name
  name=$(basename "$2")
  if [[ $2 == *.csv ]]; then
    check_lines "$1" "$2"
    if tail -n 1 "$2" | grep -q '^# status: complete'; then says=yes; fi
  elif [[ ! -s $2 ]]; then
    fail "$1: $name is empty"
    return
  else
    "${flange:?}" plot "$2" --list >"$work/list" 2>&1 || fail "$1: $name: $(head -n 1 "$work/list")"
    if h5dump -a status "$2" 2>/dev/null | grep -q '"complete"'; then says=yes; fi
  fi
  if [[ $3 == 0 && $says == no ]]; then
    fail "$1: $name of a run that ended does not say so"
  elif [[ $3 != 0 && $says == yes && $(rows_of "$2") != "${4-}" ]]; then
    fail "$1: $name says that it is complete"
  fi
}
