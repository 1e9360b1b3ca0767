"""Players, and a table that says how strong they are.

`python -m agents` lists the players. An agent of your own:

    from agents import Agent, Views, register

    @register("first", "the first legal action")
    class First(Agent):
        def act(self, views: Views) -> np.ndarray:
            return views.mask.argmax(axis=1)
"""

from agents.agent import Agent, Views
from agents.roster import make_agent, names, register

__all__ = ["Agent", "Views", "make_agent", "names", "register"]
