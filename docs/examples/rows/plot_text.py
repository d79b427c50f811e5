"""
Words that separate two kinds of text
=====================================

Three ways to write down the same documents: which words are there, how often, and how often beside how common they are.
A vocabulary is a summary, so that of two days is that of both days' documents, without the documents.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

import tenfold as tn

rng = np.random.default_rng(0)
COMMON = ["the", "and", "of", "to", "in", "is", "that", "was"]
TOPICS = {
    "kitchen": ["butter", "onion", "oven", "pepper", "recipe", "stir", "taste", "flour"],
    "garden": ["soil", "seed", "pepper", "onion", "water", "leaf", "spring", "root"],
}


def draw(documents):
    """Texts of two topics, which share some words; most words tell nothing."""
    topic = rng.choice([*TOPICS], documents)
    texts = []
    for name, length in zip(topic, rng.integers(8, 40, documents)):
        common = rng.random(length) < 0.9
        texts.append(" ".join(np.where(common, rng.choice(COMMON, length), rng.choice(TOPICS[name], length))))
    return texts, topic


(monday, label), (tuesday, other), (new, truth) = draw(150), draw(150), draw(2_000)
both = tn.TextFeatures().fit(monday) + tn.TextFeatures().fit(tuesday)
whole = tn.TextFeatures().fit(monday + tuesday)
assert np.array_equal(both.idf_, whole.idf_)
print(both.certificate_)

# %%
# Each weighting with the learner that it is for.

models = {
    "set of words, Bernoulli": make_pipeline(tn.TextFeatures("binary"), tn.BernoulliNB()),
    "counts, multinomial": make_pipeline(tn.TextFeatures("count"), tn.MultinomialNB()),
    "tf-idf, logistic": make_pipeline(tn.TextFeatures(), tn.LogisticRegression()),
}
texts, labels = monday + tuesday, np.append(label, other)
for name, model in models.items():
    print(f"{name}: {model.fit(texts, labels).score(new, truth):.3f} right of 2,000 new documents")

# %%
# What a word tells, in the multinomial model: the logarithm of how much more likely it is in one topic than the other.
# Common words are near zero, although they are nine of ten. The idf knows the same without being told the topics.

model = models["counts, multinomial"]
terms = model[0].get_feature_names_out()
garden, kitchen = model[-1].feature_log_prob_
tells = kitchen - garden
order = np.argsort(tells)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 6), layout="constrained", sharey=True)
kind = np.array(["#999999" if term in COMMON else "#3b82c4" for term in terms])[order]
left.barh(terms[order], tells[order], color=kind)
left.axvline(0, color="#333333", linewidth=0.8)
left.set(xlabel="log(P(word | kitchen) / P(word | garden))")
right.barh(terms[order], whole.idf_[order], color=kind)
right.set(xlabel="idf")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
