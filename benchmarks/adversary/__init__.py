"""An adversary: data as people have it, any learner, any way in, held against an independent answer or a law.

`case` says what a case is. `data`, `learners` and `ways` draw one. `laws`, `peers` (scikit-learn, LightGBM) and
`by_hand` hold its answer against something, and enter themselves in the `book` of checks. `judging` tells a find from
a refusal with a reason, `shrink` makes a find small and prints it as code. `broken` is what must be found.
"""
