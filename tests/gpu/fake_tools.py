"""Programs in the place of NVIDIA's compute-sanitizer and ncu: they say what those say, of kernels that never were."""

from __future__ import annotations

from pathlib import Path

REFUSED_CALL = """\
========= Program hit cudaErrorNotSupported (error 801) due to "operation not supported" on CUDA API call to cudaFoo.
=========     Saved host backtrace up to driver entry point at error
=========         Host Frame: some_library [0x1] in libsome.so
=========
"""
UNINITIALIZED = """\
========= Uninitialized __global__ memory read of size 4 bytes
=========     at {kernel}+0x100
=========     by thread (0,0,0) in block (0,0,0)
=========
"""
SANITIZER = """\
#!/bin/sh
tool="$2"
while [ "${{1#*/}}" = "$1" ]; do shift; done
"$@"
echo "========= COMPUTE-SANITIZER"
case "$tool" in
memcheck) cat <<'END'
{refused}========= Target application returned an error
========= ERROR SUMMARY: 1 error
END
;;
racecheck) echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" ;;
synccheck) echo "[ RUN      ] Session.Two"; echo "expected another loss"
    echo "[  FAILED  ] Session.Two (1 ms)"; echo "========= ERROR SUMMARY: 0 errors" ;;
initcheck) cat <<'END'
{library}{ours}========= ERROR SUMMARY: 2 errors
END
;;
esac
exit 9
""".format(
    refused=REFUSED_CALL,
    library=UNINITIALIZED.format(kernel="xmma_gemm"),
    ours=UNINITIALIZED.format(kernel="void regatta::engine::cuda::each_row<float>(float)"),
)
TESTS = """\
#!/bin/sh
mark="${TEST_TMPDIR:-/tmp/}regatta-mark"
[ ! -e "$mark" ] || echo "[  FAILED  ] Session.FilesOfOneName (1 ms)"
touch "$mark"
sleep 0.2
rm -f "$mark"
echo "[       OK ] Session.Two (1 ms)"
echo "[  FAILED  ] Session.One (1 ms)"
exit 1
"""

NCU = """\
#!/usr/bin/env python3
import subprocess, sys
words = sys.argv[1:]
report = words[words.index("--log-file") + 1]
metrics = words[words.index("--metrics") + 1].split(",")
code = subprocess.run(words[words.index("sh"):], close_fds=False).returncode
step = ["advance_state(StepState *)", "void regatta::engine::cuda::each_element<Add>(long)", "gemm"]
row = lambda *cells: ",".join(f'"{cell}"' for cell in cells)
with open(report, "w") as file:
    print("==PROF== Connected to process 1", file=file)
    print(row("ID", "Kernel Name", "Block Size", "Grid Size", *metrics), file=file)
    print(row("", "", "", "", *("ns" for _ in metrics)), file=file)
    for i, kernel in enumerate(["a choice", *step, *step]):
        values = ["1,500" if "duration" in each else "25" for each in metrics]
        print(row(i, kernel, "(128, 1, 1)", "(4, 1, 1)", *values), file=file)
sys.exit(code)
"""


def write_program(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o755)


def make_tools(folder: Path) -> None:
    """To be put into PATH."""
    folder.mkdir()
    write_program(folder / "compute-sanitizer", SANITIZER)
    write_program(folder / "ncu", NCU)
