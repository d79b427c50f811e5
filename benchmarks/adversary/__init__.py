"""An adversary: data as people have it, any learner, any way in, held against an independent answer or a law.

`case` says what a case is, `data`, `learners` and `ways` draw one, `oracles` and `laws` hold it against something,
`judging` tells a find from a refusal with a reason, `shrink` makes a find small and prints it as code.
"""
