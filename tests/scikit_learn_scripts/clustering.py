"""Find groups, and judge them."""

# tolerance: 0.01
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

X, truth = make_blobs(n_samples=500, centers=4, n_features=5, cluster_std=0.8, random_state=7)
X = StandardScaler().fit_transform(X)
for k in (3, 4, 5):
    kmeans = KMeans(n_clusters=k, n_init=10, random_state=0).fit(X)
    print(k, kmeans.cluster_centers_.shape, "larger than 0", kmeans.inertia_ > 0)
kmeans = KMeans(n_clusters=4, n_init=10, random_state=0)
labels = kmeans.fit_predict(X)
print("inertia", kmeans.inertia_)
print("silhouette", silhouette_score(X, labels), "rand", adjusted_rand_score(truth, labels))
print("distances", kmeans.transform(X).shape)
mixture = GaussianMixture(n_components=4, random_state=0).fit(X)
print("mixture", adjusted_rand_score(truth, mixture.predict(X)), mixture.converged_)
pca = PCA(n_components=2).fit(X)
print("variance", pca.explained_variance_ratio_, pca.transform(X).shape)
print("others", adjusted_rand_score(truth, AgglomerativeClustering(4).fit_predict(X)), DBSCAN(0.5).fit(X).labels_.shape)
