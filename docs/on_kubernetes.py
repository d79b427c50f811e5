"""A fit on Kubernetes, where the operator of Dask is installed; run it in a pod."""

from dask_kubernetes.operator import KubeCluster, make_cluster_spec
from distributed import Client

import tenfold as tn

IMAGE = "registry.example.org/team/tenfold:1"  # for scheduler, workers, and the pod that runs this
SIZE = {"cpu": "2", "memory": "8Gi"}
SPOT = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
}

spec = make_cluster_spec(
    name="tenfold",
    image=IMAGE,
    n_workers=8,
    resources={"requests": SIZE, "limits": SIZE},
    env=SPOT,
)
pod = spec["spec"]["worker"]["spec"]
pod["volumes"] = [{"name": "rows", "persistentVolumeClaim": {"claimName": "rows"}}]
pod["containers"][0]["volumeMounts"] = [{"name": "rows", "mountPath": "/data"}]

if __name__ == "__main__":
    with (
        KubeCluster(custom_cluster_spec=spec) as cluster,
        Client(cluster) as client,
        tn.on(tn.Dask(client)),
    ):
        rows = tn.scan("/data/rows", target="label")
        model = tn.AdaBoostClassifier(n_estimators=500).fit(rows, checkpoint="/data/saves")
        model.save("/data/boosted.tenfold")
