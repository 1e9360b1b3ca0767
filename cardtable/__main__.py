"""`python -m cardtable` is the command `cardtable`."""

import sys

from cardtable.cli.main import main

sys.exit(main())
