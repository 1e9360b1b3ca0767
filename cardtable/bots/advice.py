"""What to do about a bot's faults, in words for whoever writes it."""

from cardtable.bots import faults
from cardtable.bots.faults import Fault
from cardtable.bots.trial import STAYS, UNASKED, WRONG_INFO

READY = 'to `hello`, answer one line: {"type": "ready", "protocol": 1}; `name`, `version`, `wants`, `games` if you like'

ADVICE = {
    faults.LATE: "flush standard output after every line (Python: print(…, flush=True); C: fflush(stdout)). "
    "If the bot was still thinking, let it look at `clock`, or give it more with --time-per-move",
    faults.ENDED: "give it the lines of docs/protocol.md by hand; what it says on standard error tells where it broke",
    faults.CLOSED: "keep standard input and output open until `quit`",
    faults.TOO_LONG: "write one short JSON object a line; `hello` says in `longest_line` how long it may be",
    faults.FLOOD: "write to standard output only to answer `ask` and `refused`; all else goes to standard error",
    faults.NOT_JSON: "standard output is for answers alone, each a JSON object in one line, in UTF-8; "
    "print all else to standard error",
    faults.NOT_AN_ANSWER: 'answer one entry of `asks` with {"action": …}, '
    'several with {"answers": [{"game": …, "action": …}, …]}',
    faults.MISSING: "answer every entry of `asks`, with its own `game`",
    faults.UNKNOWN_ACTION: "copy a name of `legal` as it stands, or a number of `ids`",
    faults.NOT_LEGAL: "choose among `legal` (or `ids`) of this very question: what was legal before may not be now",
    UNASKED: "write exactly one line for each `ask` and `refused`, and none for anything else, whatever its type",
    WRONG_INFO: "the answer counts, but its `info` is not shown: leave it out, or write it as docs/protocol.md has it",
    STAYS: "end the program at `quit`, or when there is nothing more to read from standard input",
}

UNFINISHED = "end the line: an answer ends with a newline, and is flushed"


def advice_for(fault: Fault, *, greeting: bool) -> str:
    """What to do about a fault; at the greeting a wrong answer is another one."""
    if fault.reason == faults.LATE and fault.line:
        return UNFINISHED
    if greeting and fault.reason == faults.NOT_AN_ANSWER:
        return READY
    return ADVICE[fault.reason]
