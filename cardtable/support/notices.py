"""Notices on standard error, apart from errors: that something is being compiled, kept elsewhere, or damaged."""

import sys
from contextlib import suppress

_said: dict[str, str] = {}
"""Subject -> what this process has told the user about it."""


def say(text: str) -> None:
    """Tell the user on standard error."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # nobody may be listening
            print(f"cardtable: {text}", file=sys.stderr, flush=True)


def say_once(subject: str, text: str) -> None:
    """Tell the user, unless this process has said something on the subject already."""
    if subject not in _said:
        say_again(subject, text)


def say_again(subject: str, text: str) -> None:
    """Tell the user; `say_once` has nothing to add on the subject."""
    _said[subject] = text
    say(text)


def said(subject: str) -> str:
    """What this process has told the user about a subject; empty if nothing."""
    return _said.get(subject, "")
