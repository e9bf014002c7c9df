"""`python -m taisai` is the `taisai` command."""

import sys

from taisai.cli import main

if __name__ == "__main__":
    sys.exit(main())
