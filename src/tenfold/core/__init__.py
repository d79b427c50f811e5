"""The words of the library: chunk, columns, schema, need, statistic, certificate, stop rules.

Imports nothing of ours but the kernels that read columns.
"""

from tenfold.core.arrays import (
    CSR,
    AnyColumn,
    Array,
    Bits,
    Codes,
    ColumnData,
    Flags,
    Labels,
    Letters,
    Matrix,
    MatrixLike,
    Names,
    RowIndex,
    Values,
    VectorLike,
)
from tenfold.core.certificate import Certificate, Claim, Provenance
from tenfold.core.errors import ColumnError, DataError, MergeError, ModelFileError, ParameterError, Remedy
from tenfold.core.learner import MANY, ONE, SEQUENTIAL, Learner
from tenfold.core.mergeable import Mergeable
from tenfold.core.need import Need
from tenfold.core.rows.chunk import Chunk
from tenfold.core.rows.columns import Columns
from tenfold.core.rows.design_matrix import Design
from tenfold.core.schema import Column, Schema
from tenfold.core.statistic import Gathered, Grouped, Held, Lens, Ordered, Stacked, Statistic, Strided
from tenfold.core.stop import Gap, Never, Rounds, Seconds, Stop

__all__ = [
    "CSR",
    "MANY",
    "ONE",
    "SEQUENTIAL",
    "AnyColumn",
    "Array",
    "Bits",
    "Certificate",
    "Chunk",
    "Claim",
    "Codes",
    "Column",
    "ColumnData",
    "ColumnError",
    "Columns",
    "DataError",
    "Design",
    "Flags",
    "Gap",
    "Gathered",
    "Grouped",
    "Held",
    "Labels",
    "Learner",
    "Lens",
    "Letters",
    "Matrix",
    "MatrixLike",
    "MergeError",
    "Mergeable",
    "ModelFileError",
    "Names",
    "Need",
    "Never",
    "Ordered",
    "ParameterError",
    "Provenance",
    "Remedy",
    "Rounds",
    "RowIndex",
    "Schema",
    "Seconds",
    "Stacked",
    "Statistic",
    "Stop",
    "Strided",
    "Values",
    "VectorLike",
]
