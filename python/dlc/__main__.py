"""`python -m dlc`: compile, run and inspect ONNX models from the shell."""

import sys

from dlc.cli import main

sys.exit(main())
