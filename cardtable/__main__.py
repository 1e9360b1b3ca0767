"""`python -m cardtable` is the command `cardtable`."""

import sys

from cardtable.cli import main

sys.exit(main())
