"""An adversary: data as people have it, any learner, any way in, held against an independent answer or a law.

`case` defines what a case is. `data`, `learners` and `ways` draw one. `laws`, `peers` (scikit-learn, LightGBM) and
`by_hand` hold its answer against something, and enter themselves in the `book` of checks. `pipelines` draws a table of
mixed columns with a ColumnTransformer and a learner, of which `pipeline_laws` has the checks. `sequences`, `graphs`,
`concepts`, `networks`, `evaluation`, `sources` and `claims` are checks that draw what they need. `judging` tells a find
from a refusal with a reason, `shrink` makes a find small and prints it as code. `broken` is what must be found.
"""

import os

os.environ["TENFOLD_TRACEBACK"] = "full"  # a find is told from a refusal by where an error is raised
