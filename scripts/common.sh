# common.sh - what the scripts share; sourced, with the root of the project as working folder after.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export jobs
jobs=$(nproc)

# The comment on top of a script, which is also its help.
usage() {
  sed -n '/^# shellcheck/q; /^[^#]/q; 2,$ s/^# \{0,1\}//p' "$0"
}

# All C files that we wrote; some of the folders may not be there.
c_files() {
  find . -path './build*' -prune -o -path './.git' -prune -o -name '*.[ch]' -printf '%P\n' | sort
}

# The sources that users run: no tests, no fuzz targets.
library_sources() {
  find src -name '*.c' ! -name '*_test.c' | sort
}

# Configures build/PRESET; says nothing unless it fails.
configure() {
  local output
  output=$(cmake --preset "$1" 2>&1) || { echo "$output"; return 1; }
}
