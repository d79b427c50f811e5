"""Servers on this machine that tests read files from: one that fails now and then, and one of a folder."""

import http.client
import logging
import os
import re
import threading
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pyarrow import fs


@contextmanager
def serving(handler):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Folder(BaseHTTPRequestHandler):
    """Files of a folder, with ranges, as stores on the web have them, or without."""

    protocol_version = "HTTP/1.1"
    ranges = True

    def __init__(self, folder, *args):
        self.folder = folder
        super().__init__(*args)

    def do_HEAD(self):
        self._answer(body=False)

    def do_GET(self):
        self._answer(body=True)

    def _answer(self, body):
        path = self.folder / self.path.partition("?")[0].lstrip("/")
        if not path.is_file():
            self.send_error(404)
            return
        data = path.read_bytes()
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        start, stop = 0, len(data)
        if found and self.ranges:
            start = int(found[1])
            stop = min(int(found[2]) + 1, len(data)) if found[2] else len(data)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
        else:
            self.send_response(200)
        self.send_header("Accept-Ranges", "bytes" if self.ranges else "none")
        self.send_header("Content-Length", str(stop - start))
        self.end_headers()
        if body:
            self.wfile.write(data[start:stop])

    def log_message(self, *args):
        pass


class Failing(BaseHTTPRequestHandler):
    """Hands every request on to another server, but each tenth fails: refused, too busy, or cut off."""

    protocol_version = "HTTP/1.1"

    def __init__(self, address, counts, every, *args):
        self.address, self.counts, self.every = address, counts, every
        super().__init__(*args)

    def _hand_on(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        with self.counts["lock"]:
            self.counts["all"] += 1
            number = self.counts["all"]
        if number % self.every == 0:
            self.counts["failed"] += 1
            kind = self.counts["failed"] % 3
            if kind == 0:  # the connection drops
                self.close_connection = True
                self.connection.close()
                return
            self.send_response(500 if kind == 1 else 503)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        there = http.client.HTTPConnection(self.address.removeprefix("http://"), timeout=20)
        there.request(self.command, self.path, body, dict(self.headers))
        answer = there.getresponse()
        data = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        size = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(data))
        self.send_header("Content-Length", size or "0")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        there.close()

    do_GET = do_HEAD = do_PUT = do_POST = _hand_on

    def log_message(self, *args):
        pass

    def handle(self):
        with suppress(OSError, ValueError):  # the connection that was dropped
            super().handle()


@contextmanager
def failing(address, every=10):
    """A server before another one, and how many requests it saw and failed."""
    counts = {"all": 0, "failed": 0, "lock": threading.Lock()}
    with serving(partial(Failing, address, counts, every)) as found:
        yield found, counts


@contextmanager
def folder_server(folder):
    with serving(partial(Folder, folder)) as found:
        yield found


KEYS = {
    "AWS_ACCESS_KEY_ID": "a",
    "AWS_SECRET_ACCESS_KEY": "b",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextmanager
def bucket_server(folder, bucket):
    """A server that speaks as S3 does, with the files of a folder in a bucket."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with environment(**KEYS):
        there = fs.S3FileSystem(allow_bucket_creation=True, endpoint_override=f"{host}:{port}", scheme="http")
        there.create_dir(bucket)
        fs.copy_files(str(folder), bucket, destination_filesystem=there, use_threads=False)
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@contextmanager
def environment(**values):
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
