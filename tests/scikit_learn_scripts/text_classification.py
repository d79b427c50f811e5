"""Classify documents by their words."""

# tolerance: 1e-6
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline

docs = [
    "the goalkeeper saved the penalty", "a late goal won the cup", "the striker scored a goal",
    "the court ruled on the law", "judges heard the case in court", "a new law for the court",
] * 3  # fmt: skip
labels = ["sport", "sport", "sport", "law", "law", "law"] * 3
new = ["the court heard a case", "a goal in the cup", "penalty for the striker"]

bayes = make_pipeline(CountVectorizer(stop_words=["the", "a"]), MultinomialNB(alpha=0.5)).fit(docs, labels)
print("bayes", *bayes.predict(new), bayes.predict_proba(new)[:, 0])
tfidf = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), ComplementNB()).fit(docs, labels)
print("complement", *tfidf.predict(new))
steps = Pipeline([("count", CountVectorizer()), ("tfidf", TfidfTransformer()), ("nb", MultinomialNB())]).fit(
    docs, labels
)
print("steps", *steps.predict(new))
vectorizer = TfidfVectorizer(sublinear_tf=True)
matrix = vectorizer.fit_transform(docs[:6])
print("matrix", matrix.shape, matrix.nnz, vectorizer.get_feature_names_out()[:4])
print("similar", cosine_similarity(matrix[0], matrix[1])[0, 0], len(vectorizer.vocabulary_))
model = LogisticRegression(C=10, tol=1e-10, max_iter=1000).fit(matrix, labels[:6])
print("logistic", *model.predict(vectorizer.transform(new)))
