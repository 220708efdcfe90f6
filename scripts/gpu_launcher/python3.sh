#!/usr/bin/env bash
# In the place of python3 for the launcher of a bundle: that machine's own Python, which must not load the libraries
# that
# came with the launcher.
export LD_LIBRARY_PATH="$REGATTA_LIBRARIES_OUTSIDE"
exec "$REGATTA_PYTHON_OUTSIDE" "$@"
