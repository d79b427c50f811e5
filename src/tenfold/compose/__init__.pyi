from typing import Any

from tenfold.compose.column_transformer import ColumnTransformer as ColumnTransformer
from tenfold.compose.column_transformer import make_column_transformer as make_column_transformer
from tenfold.compose.feature_union import FeatureUnion as FeatureUnion
from tenfold.compose.feature_union import make_union as make_union

def __getattr__(name: str) -> Any: ...
