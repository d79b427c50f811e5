from typing import Any

from tenfold.naive_bayes.bernoulli_nb import BernoulliNB as BernoulliNB
from tenfold.naive_bayes.categorical_nb import CategoricalNB as CategoricalNB
from tenfold.naive_bayes.complement_nb import ComplementNB as ComplementNB
from tenfold.naive_bayes.gaussian_nb import GaussianNB as GaussianNB
from tenfold.naive_bayes.multinomial_nb import MultinomialNB as MultinomialNB
from tenfold.naive_bayes.naive_bayes import NaiveBayes as NaiveBayes

def __getattr__(name: str) -> Any: ...
