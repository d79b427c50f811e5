"""A fit on three machines that are reached by SSH: `python on_ssh.py`."""

from distributed import Client, SSHCluster

import tenfold as tn

HOSTS = ["head", "node1", "node2", "node3"]  # the first for the scheduler, a worker on each other
ROWS = "/shared/rows"  # a folder that every machine sees under this path

if __name__ == "__main__":
    with (
        SSHCluster(
            HOSTS,
            connect_options={"username": "ml"},
            worker_options={"nthreads": 4, "memory_limit": "12GiB"},
            remote_python="/opt/tenfold/bin/python",  # at the same place everywhere
        ) as cluster,
        Client(cluster) as client,
        tn.on(tn.Dask(client)),
    ):
        model = tn.Ridge().fit(tn.scan(ROWS, target="y"))
        model.save("/shared/ridge.tenfold")
