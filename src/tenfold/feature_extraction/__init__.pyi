from typing import Any

from tenfold.feature_extraction.date_parts import DateParts as DateParts
from tenfold.feature_extraction.text.text_features import TextFeatures as TextFeatures
from tenfold.feature_extraction.text.vectorizers import CountVectorizer as CountVectorizer
from tenfold.feature_extraction.text.vectorizers import TfidfVectorizer as TfidfVectorizer

def __getattr__(name: str) -> Any: ...
