"""Files elsewhere: the bits of a local copy, also from servers that fail; what is not there is named."""

import pickle

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

import tenfold as tn
from servers import KEYS, Folder, bucket_server, environment, failing, folder_server
from tenfold.sources.files import storage
from tenfold.testing.comparison import bits

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def rows(seed, n=300):
    random = np.random.default_rng(seed)
    x, z = random.normal(size=(2, n))
    return pa.table({"x": x, "z": z, "y": x - 2 * z + random.normal(size=n), "k": (x > 0).astype(int)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files on this machine, two of them in folders that are a column."""
    here = tmp_path_factory.mktemp("here")
    for year in (2023, 2024):
        (here / "sales" / f"year={year}").mkdir(parents=True)
        pq.write_table(rows(year), here / "sales" / f"year={year}" / "a.parquet", row_group_size=50)
    pq.write_table(rows(0), here / "one.parquet", row_group_size=50)
    pyarrow.csv.write_csv(rows(0), here / "one.csv")
    return here


@pytest.fixture(scope="module")
def bucket(folder):
    """The same files in a bucket of a real server."""
    with bucket_server(folder, "shop") as address, environment(**KEYS, AWS_ENDPOINT_URL=address):
        yield address


def fitted(source, learner=None):
    return (learner or tn.Ridge()).fit(source)


def assert_same_fit(one, other, learner=None):
    a, b = fitted(one, learner), fitted(other, learner)
    assert bits(a.model_) == bits(b.model_)
    assert bits(a.summary_) == bits(b.summary_)


@pytest.mark.parametrize("path", ["one.parquet", "sales", "sales/*/a.parquet", "sales/**/*.parquet", "one.csv"])
def test_a_bucket_is_the_local_copy(path, folder, bucket):
    here = tn.scan(str(folder / path), target="y", drop=["k"])
    there = tn.scan(f"s3://shop/{path}", target="y", drop=["k"])
    assert there.n_rows == here.n_rows
    assert len(there) == len(here)
    assert there.names == here.names
    assert_same_fit(here, there)


def test_lists_options_and_file_systems_are_ways_to_the_same_rows(folder, bucket):
    names = ["one.parquet", "sales/year=2024/a.parquet"]
    here = tn.scan([str(folder / n) for n in names], target="y")
    address = bucket.removeprefix("http://")
    made = fs.S3FileSystem(endpoint_override=address, scheme="http")
    ways = [
        tn.scan([f"s3://shop/{n}" for n in names], target="y"),
        tn.scan([f"s3://shop/{n}?scheme=http&endpoint_override={address}" for n in names], target="y"),
        tn.scan([f"s3://shop/{n}" for n in names], target="y", storage_options={"endpoint_url": bucket}),
        tn.scan([f"shop/{n}" for n in names], target="y", filesystem=made),
        tn.scan([f"shop/{n}" for n in names], target="y", filesystem=fsspec.filesystem("s3", endpoint_url=bucket)),
    ]
    for way in ways:
        assert_same_fit(here, pickle.loads(pickle.dumps(way)))


@pytest.mark.parametrize("key", ["a b.parquet", "a[1].parquet", "a#b.parquet"])
def test_keys_with_blanks_and_brackets(key, folder, bucket):
    there = fs.S3FileSystem(endpoint_override=bucket.removeprefix("http://"), scheme="http")
    pq.write_table(rows(0), f"shop/odd/{key}", filesystem=there)
    for options in (None, {"endpoint_url": bucket}):
        assert tn.scan(f"s3://shop/odd/{key}", storage_options=options).n_rows == 300
    asked = f"s3://shop/odd/{key}?scheme=http&endpoint_override={bucket.removeprefix('http://')}"
    assert tn.scan(asked).n_rows == 300


def test_where_is_pushed_down_to_a_bucket(folder, bucket):
    asked = [("x", ">", 0.5), ("year", "==", 2024)]
    here = tn.scan(str(folder / "sales"), target="y", where=asked)
    there = tn.scan("s3://shop/sales", target="y", where=asked)
    assert there.n_rows == here.n_rows
    assert_same_fit(here, there)


def test_a_connection_travels_as_a_url(bucket):
    source = tn.scan("s3://shop/one.parquet", target="y")
    fitted(source)
    assert source.storage._made
    assert not pickle.loads(pickle.dumps(source)).storage._made


def test_a_bucket_that_fails_one_request_in_ten(folder, bucket):
    here = tn.scan(str(folder / "sales"), target="y")
    with failing(bucket) as (address, counts), environment(AWS_ENDPOINT_URL=address):
        there = tn.scan("s3://shop/sales", target="y")
        assert_same_fit(here, there)
        assert counts["failed"] > 2


def test_a_web_server_gives_the_bits_of_a_local_copy(folder):
    with folder_server(folder) as address:
        for name in ("one.parquet", "one.csv"):
            assert_same_fit(tn.scan(str(folder / name), target="y"), tn.scan(f"{address}/{name}", target="y"))


def test_signatures_of_urls_are_not_shown_and_endings_stand_before_them(folder, monkeypatch):
    monkeypatch.setattr(storage, "FIRST_WAIT_SECONDS", 0.001)
    with folder_server(folder) as address:
        for name in ("one.parquet", "one.csv"):
            source = tn.scan(f"{address}/{name}?sig=SECRET", target="y")
            assert_same_fit(tn.scan(str(folder / name), target="y"), pickle.loads(pickle.dumps(source)))
            assert "SECRET" not in f"{source!r}{source.where}{source.place(0)}"
        both = tn.scan([f"{address}/one.parquet?sig={k}" for k in "ab"])
        assert len({*both.files}) == 2
        assert both.n_rows == 600
        (folder / "torn.csv").write_text("a,b\n1\n")
        for name in ("none.parquet", "torn.csv"):
            with pytest.raises(tn.DataError, match=rf"{name}\?\.\.\.") as error:
                tn.scan(f"{address}/{name}?sig=SECRET")
            assert "SECRET" not in str(error.value)
    with pytest.raises(tn.DataError) as error:  # no server
        tn.scan("http://127.0.0.1:9/one.parquet?sig=SECRET")
    assert "SECRET" not in str(error.value)


def test_a_web_server_that_fails_one_request_in_ten(folder, monkeypatch):
    monkeypatch.setattr(storage, "FIRST_WAIT_SECONDS", 0.01)
    here = tn.scan(str(folder / "one.parquet"), target="y")
    with folder_server(folder) as plain, failing(plain) as (address, counts):
        there = tn.scan([f"{address}/one.parquet"], target="y")
        assert_same_fit(here, there)
        assert counts["failed"] > 0
        some = tn.scan([f"{address}/one.parquet"], target="y", where=[("x", ">", 0)])
        assert some.n_rows == here.only(pa.compute.field("x") > 0).n_rows


def test_a_server_that_always_fails_is_an_error_with_the_file_and_what_to_do(folder, monkeypatch):
    monkeypatch.setattr(storage, "FIRST_WAIT_SECONDS", 0.001)
    with folder_server(folder) as plain, failing(plain, every=1) as (address, counts):
        with pytest.raises(tn.DataError, match=r"one\.parquet .*Remedy"):
            tn.scan(f"{address}/one.parquet", target="y")
        assert counts["all"] >= storage.MAX_TRIES


def test_a_read_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr(storage, "FIRST_WAIT_SECONDS", 0.001)
    tried = []

    def read():
        tried.append(None)
        for number in range(5):
            if number == len(tried):
                raise OSError("the connection was reset")
            yield number

    assert list(storage.RemoteStore().steadily(read)) == [0, 1, 2, 3, 4]
    assert len(tried) == 5


@pytest.mark.parametrize(
    "error",
    [
        PermissionError("no"),
        FileNotFoundError("gone"),
        OSError("AWS Error ACCESS_DENIED"),
        OSError("AWS Error UNKNOWN (HTTP status 403) during HeadObject operation"),
        pa.ArrowInvalid("CSV parse error"),
        pa.ArrowNotImplementedError("no such codec"),
    ],
)
def test_what_is_refused_is_not_tried_again(error):
    tried = []

    def read():
        tried.append(None)
        raise error

    with pytest.raises(type(error)):
        storage.RemoteStore().steady(read)
    assert len(tried) == 1
    assert "tried" not in storage.RemoteStore().remedy(error)


@pytest.mark.parametrize("name", ["part-00403.parquet", "403.parquet", "SIGNATURE.parquet", "Forbidden.parquet"])
def test_the_name_of_a_file_is_no_refusal(name, monkeypatch):
    monkeypatch.setattr(storage, "FIRST_WAIT_SECONDS", 0.0001)
    tried = []

    def read():
        tried.append(None)
        raise OSError(f"When reading shop/{name}: AWS Error NETWORK_CONNECTION during GetObject operation")

    with pytest.raises(OSError) as error:
        storage.RemoteStore().steady(read)
    assert len(tried) == storage.MAX_TRIES
    assert f"tried {storage.MAX_TRIES} times" in storage.RemoteStore().remedy(error.value)


def test_a_server_without_ranges_is_named_when_a_file_is_scanned(folder, monkeypatch):
    monkeypatch.setattr(Folder, "ranges", False)
    with folder_server(folder) as address:
        with pytest.raises(tn.DataError, match=r"one\.parquet .*no range requests.*Remedy: copy the file"):
            tn.scan(f"{address}/one.parquet")
        assert tn.scan(f"{address}/one.csv").n_rows == 300


def test_an_option_that_there_is_not_is_named(folder):
    with folder_server(folder) as address, pytest.raises(tn.DataError, match=r"storage_options \['tokem'\]"):
        tn.scan(f"{address}/one.parquet", storage_options={"tokem": "a"})


@pytest.mark.parametrize("url", ["s3://shop/none.parquet", "s3://nowhere/one.parquet", "s3://shop/x/*.parquet"])
def test_what_is_not_there_is_named(url, bucket):
    with pytest.raises(tn.DataError) as error:
        tn.scan(url, target="y")
    assert url.replace("*.parquet", "") in str(error.value)


def test_a_page_that_is_not_there_is_named(folder):
    with folder_server(folder) as address, pytest.raises(tn.DataError, match=r"/none\.parquet"):
        tn.scan(f"{address}/none.parquet", target="y")


def test_a_file_that_changes_in_a_bucket_is_refused(bucket, folder):
    there = fs.S3FileSystem(endpoint_override=bucket.removeprefix("http://"), scheme="http")
    pq.write_table(rows(1), "shop/changing.parquet", filesystem=there)
    source = tn.scan("s3://shop/changing.parquet", target="y")
    pq.write_table(rows(2, 200), "shop/changing.parquet", filesystem=there)
    with pytest.raises(tn.DataError, match=r"s3://shop/changing\.parquet has changed since it was scanned"):
        fitted(source)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (["s3://shop/a.parquet", "b.parquet"], {}, "some are not"),
        ("a.parquet", {"storage_options": {"key": "a"}}, "on this machine"),
        ("s3://a/b", {"storage_options": {}, "filesystem": fs.LocalFileSystem()}, "not both"),
        (rows(0), {"storage_options": {}}, "for paths and URLs"),
        ("s3://key:secret@a/b.parquet", {}, "storage_options"),
        ("abfss://box@account.dfs.core.windows.net/b.parquet", {}, "Protocol not known.*adlfs"),
        ("ftq://a/b.parquet", {}, "neither pyarrow nor fsspec"),
    ],
)
def test_options_that_do_not_fit_are_refused(data, options, message):
    with pytest.raises(tn.DataError, match=message):
        tn.scan(data, target="y", **options)
