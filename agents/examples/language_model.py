"""A language model as an agent, over any OpenAI-style endpoint, with the standard library alone.

LLM_URL=http://localhost:11434/v1 LLM_MODEL=some-model cardtable arena muster llm heuristic \
    --load agents/examples/language_model.py --games 2

The model is asked as `table.prompt()` asks. What it may not play is refused with the reason, and it is asked again. It is told
what its seat sees now, not what happened before: agents see positions. `llm:MODEL` names another model than LLM_MODEL.

| variable | meaning |
| --- | --- |
| LLM_URL | where the endpoint is; `/chat/completions` is added |
| LLM_MODEL | the name of the model |
| LLM_KEY | sent as a bearer token, if it is set |
| LLM_TIMEOUT | seconds for an answer (60) |
| LLM_TRIES | answers that are asked for at each decision (3) |
| LLM_FALLBACK | an agent, such as `random`, that decides when all tries failed, which is said; without one: an error |
"""

import hashlib
import json
import os
import sys
import time
from http.client import HTTPException
from typing import Any
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np

from cardtable import Agent, AgentError, Game, IllegalAction, Table, Views, make_agent, register
from cardtable.game.options import Options

LARGEST_ANSWER = 1 << 20
"""Bytes of an answer that are read."""
LONGEST_QUOTE = 4000
"""Characters of a refused answer that the model is shown again."""
MOST_DIGITS = 6
NONSENSE = (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError)
"""What a request may raise: nobody there, too late, refused, not JSON, JSON of another shape."""


class NoRedirect(HTTPRedirectHandler):
    """The key goes to the endpoint that was named, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        """Follow nobody: the redirect becomes an error."""


def number_of(name: str, default: int) -> int:
    """A positive integer from the environment."""
    text = os.environ.get(name, str(default))
    if not text.isdecimal() or len(text) > MOST_DIGITS or int(text) < 1:
        raise AgentError(f"llm: {name}={text[:80]!r}: allowed: positive integers of at most {MOST_DIGITS} digits")
    return int(text)


@register("llm", "a language model over an OpenAI-style endpoint (LLM_URL, LLM_MODEL, LLM_KEY)", takes="MODEL")
class LanguageModel(Agent):
    """Asks a model for every decision."""

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        super().__init__(game, options, argument)
        self.url = os.environ.get("LLM_URL", "")
        self.model = argument or os.environ.get("LLM_MODEL", "")
        if not self.url.startswith(("http://", "https://")) or not self.model:
            raise AgentError("llm: set LLM_URL to the http(s) address of an endpoint, and LLM_MODEL to the name of a model")
        self.key = os.environ.get("LLM_KEY", "")
        self.timeout, self.tries = number_of("LLM_TIMEOUT", 60), number_of("LLM_TRIES", 3)
        fallback = os.environ.get("LLM_FALLBACK", "")
        self.fallback = make_agent(fallback, game, options) if fallback else None
        self.fallbacks = 0

    def prepare(self) -> None:
        """Compile what the fallback needs."""
        if self.fallback:
            self.fallback.prepare()

    def fingerprint(self) -> str:
        """Games of other models, endpoints or fallbacks are never mixed with these."""
        settings = [self.url, self.model, os.environ.get("LLM_FALLBACK", ""), str(self.tries), str(self.timeout)]
        return hashlib.sha256("\n".join(settings).encode()).hexdigest()[:16]

    def act(self, views: Views) -> np.ndarray:
        """An action for each view; all that a seat cannot know is drawn anew, and the prompt does not show it."""
        return np.array([self.decision(views, number) for number in range(len(views))])

    def decision(self, views: Views, number: int) -> int:
        """The model's action in one game; the fallback's, or `AgentError`, if it names none in all its tries."""
        try:
            return self.ask(views.world(number, seed=0))
        except AgentError as error:
            if self.fallback is None:
                raise
            self.fallbacks += 1
            print(f"{error}; {self.fallbacks} decisions of the fallback so far", file=sys.stderr)
            return int(self.fallback.act(views)[number])

    def ask(self, table: Table) -> int:
        """Ask until the model names a legal action; `AgentError` with the last reason if it does not."""
        talk = [{"role": "user", "content": table.prompt()}]
        reason = ""
        for _ in range(self.tries):
            try:
                text = self.answer(talk)
            except NONSENSE as error:
                reason = f"no answer: {type(error).__name__}: {error}"[:300]
                continue
            try:
                return table.parse_action(text)
            except IllegalAction as error:
                reason = str(error)
                talk += [{"role": "assistant", "content": str(text)[-LONGEST_QUOTE:]}]
                talk += [{"role": "user", "content": f"That was refused: {reason}\nAnswer again: [name of one legal action]"}]
        raise AgentError(f"llm: {self.model} named no legal action in {self.tries} tries; the last time: {reason[:500]}")

    def answer(self, talk: list[dict[str, str]]) -> Any:  # noqa: ANN401  # whatever the endpoint sends
        """What the model says next: a text, if the endpoint is what it should be."""
        headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.key}"} if self.key else {})}
        body = json.dumps({"model": self.model, "messages": talk}).encode()
        request = Request(f"{self.url.rstrip('/')}/chat/completions", body, headers)
        late, content = time.monotonic() + self.timeout, b""
        with build_opener(NoRedirect).open(request, timeout=self.timeout) as response:
            while part := response.read1(LARGEST_ANSWER):
                content += part
                if len(content) > LARGEST_ANSWER or time.monotonic() > late:
                    raise TimeoutError("the answer is too long, or takes too long")
        return json.loads(content)["choices"][0]["message"]["content"]
