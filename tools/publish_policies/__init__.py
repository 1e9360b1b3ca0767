"""From finished training runs to a policy that comes with the package, and a model card that says how it was made.

`python -m tools.publish_policies RUN [RUN …]`: the best of several runs is chosen on some deals, and its figures are measured
on others; so the figures do not flatter the choice.
"""
