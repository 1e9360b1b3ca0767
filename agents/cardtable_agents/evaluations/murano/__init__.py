"""What a position of Murano is worth.

Each seat is judged by the best turn it can have next, or can make of the current one: the pair, one negotiation, the works
that can be made then. What is left after that turn is weighed: Lira, what the next cards of the hand still lack, shards that
fit none of them, cards left compared with the other seats, works that can still be set aside for an Advantage. The estimated
scores, compared among the seats, give the chances to win.

In reading order: `weights` (features and what they are worth), `scratch` (the record to work in), `features` (what a Workbench
and a hand are worth), `plans` (the best turn), `choices` (the best of a choice that is still open), `values` (scores and
chances).
"""

from cardtable_agents.evaluations.evaluation import Evaluation
from cardtable_agents.evaluations.murano.scratch import Scratch
from cardtable_agents.evaluations.murano.values import evaluate
from cardtable_agents.evaluations.murano.weights import WEIGHTS

__all__ = ["EVALUATION"]

EVALUATION = Evaluation(evaluate, WEIGHTS, Scratch)
