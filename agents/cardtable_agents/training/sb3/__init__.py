"""The standard algorithm: MaskablePPO of sb3-contrib as the learner of a run. Needs `cardtable[sb3]`."""
