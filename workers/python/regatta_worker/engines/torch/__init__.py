"""The engine `torch`. Its variables are set here, before any module of it imports the framework."""

import os

# Read when torch is imported: kernels are compiled in this process, which the agent can stop and end.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
