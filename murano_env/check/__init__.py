"""Whether a record is a position of Murano: guards loaded states and injected deals, and audits random play.

`position` says what is checked in which order; each other module checks one thing, and `derived` fills in what is kept for
speed.
"""

from murano_env.check.derived import derive
from murano_env.check.position import check, check_fixed

__all__ = ["check", "check_fixed", "derive"]
