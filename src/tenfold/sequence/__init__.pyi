from typing import Any

from tenfold.sequence.categorical_hmm import CategoricalHMM as CategoricalHMM
from tenfold.sequence.gaussian_hmm import GaussianHMM as GaussianHMM
from tenfold.sequence.hmm_classifier import HMMClassifier as HMMClassifier
from tenfold.sequence.markov_chain import MarkovChain as MarkovChain
from tenfold.sequence.trellis import Trellis as Trellis

def __getattr__(name: str) -> Any: ...
