"""Kernels that are compiled with the package, so that the first use needs no compiler.

A kernel is looked for in the folder that was shipped, then in numba's own cache, then it is compiled. The folder holds
for one numba, one Python and one level of a processor family (x86-64-v3, say, not this very processor). The name of a
file in it contains a hash of the sources that the kernel is compiled from, so a file of other sources is never loaded,
and an edit of one module recompiles only the kernels that use it.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import platform
import re
import sys
import sysconfig
import zlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

import llvmlite.binding as llvm
import numba
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache, _Cache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

from tenfold.compiled.signatures import Signature, fitting, line, name_of

PACKAGE_FOLDER = Path(__file__).parent
_V2 = {"cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"}
_V3 = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
LEVELS = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2}
"""instructions that each level has, best first, as LLVM names both"""
ANY_PROCESSOR = "generic"
"""the level of other processor families: what each of the family can do"""
IMPORTED = re.compile(rb"tenfold\.compiled\.(?:\w+\.)*(\w+)")
"""a module of kernels that another one names"""


def tag(level: str) -> str:
    """The name of the folder for this interpreter and this numba."""
    abi = sysconfig.get_config_var("SOABI") or f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
    return f"{abi}-numba{numba.__version__}-{level}"


def levels_here() -> list[str]:
    """Return the instruction sets that this processor has, best first."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return [ANY_PROCESSOR]
    has = {name for name, there in llvm.get_host_cpu_features().items() if there}
    return [level for level, needs in LEVELS.items() if needs <= has]


@cache
def files() -> dict[str, Path]:
    """The file of each module of kernels, by its name: two in different folders have different names."""
    return {path.stem: path for path in sorted(PACKAGE_FOLDER.rglob("*.py")) if path.stem != "__init__"}


def module_of(name: str) -> str:
    """Return the import name of the module of a kernel on the list."""
    return ".".join(
        ["tenfold.compiled", *files()[name.partition(".")[0]].relative_to(PACKAGE_FOLDER).with_suffix("").parts]
    )


@cache
def _texts() -> dict[str, bytes]:
    """The source of each module of kernels, by its name."""
    return {name: path.read_bytes().replace(b"\r\n", b"\n") for name, path in files().items()}


@cache
def digest(module: str) -> str:
    """Return a hash of a module of kernels and of all modules of kernels that it imports, directly or not."""
    texts, found, waiting = _texts(), {module}, [module]
    while waiting:
        imported = {name.decode() for name in IMPORTED.findall(texts[waiting.pop()])}
        new = imported & texts.keys() - found
        found |= new
        waiting += new
    return hashlib.sha256(b"".join(name.encode() + b"\0" + texts[name] for name in sorted(found))).hexdigest()


def base() -> Path:
    """The folder with a subfolder for each level; the environment variable TENFOLD_COMPILED names another."""
    return Path(os.environ.get("TENFOLD_COMPILED") or PACKAGE_FOLDER / "_compiled")


def why_not(level: str) -> str | None:
    """Return why compiled kernels are not used; None if they are."""
    if os.environ.get("TENFOLD_COMPILED") == "0":
        return "the environment variable TENFOLD_COMPILED is 0"
    settings = {
        "NUMBA_CPU_NAME": config.CPU_NAME,
        "NUMBA_CPU_FEATURES": config.CPU_FEATURES,
        "NUMBA_BOUNDSCHECK": config.BOUNDSCHECK,
        "NUMBA_DEBUGINFO": config.DEBUGINFO_DEFAULT,
        "NUMBA_OPT": int(config.OPT) != 3,
        "NUMBA_ENABLE_AVX": not config.ENABLE_AVX,
        "NUMBA_DISABLE_JIT": config.DISABLE_JIT,
    }
    if changed := [name for name, value in settings.items() if value]:
        return f"numba is told to compile in another way, by {', '.join(changed)}"
    folder = base() / tag(level)
    return None if folder.is_dir() else f"there is no folder {folder}"


@cache
def folder() -> Path | None:
    """Return the folder with the compiled kernels for this processor, if there is one."""
    return next((base() / tag(level) for level in levels_here() if why_not(level) is None), None)


def file_name(name: str, signature: Signature) -> str:
    """Return the name of the file of one kernel for one signature, compiled from the sources as they are now."""
    types = hashlib.sha256(line(name, signature).encode()).hexdigest()
    return f"{name}-{types[:16]}-{digest(name.partition('.')[0])[:16]}.z"


class KernelCache(_Cache):
    """numba's cache of one function, with the shipped folder before it."""

    write_to: Path | None = None
    """where a build wants compiled kernels; then numba's own cache is left alone"""

    def __init__(self, function: Any) -> None:
        self._function = function
        self._on = True

    @cached_property
    def _own(self) -> Any:
        """numba's own cache, created on first use: it writes a file, and raises in a read-only environment."""
        try:
            return FunctionCache(self._function)
        except RuntimeError:
            return NullCache()

    @property
    def cache_path(self) -> Any:
        """The folder of numba's own cache."""
        return self._own.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel, or None."""
        place = KernelCache.write_to or folder()
        if place is not None and self._on:
            target_context.refresh()
            try:
                data = (place / file_name(name_of(self._function), normalize_signature(sig)[0])).read_bytes()
                return CompileResultCacheImpl.rebuild(None, target_context, pickle.loads(zlib.decompress(data)))
            except FileNotFoundError:
                pass
            except Exception:
                logging.getLogger("tenfold").debug("a shipped kernel did not load", exc_info=True)
        return None if KernelCache.write_to else self._own.load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a kernel that was just compiled."""
        if KernelCache.write_to is None:
            self._own.save_overload(sig, data)
        elif not data.library.has_dynamic_globals:
            path = KernelCache.write_to / file_name(name_of(self._function), normalize_signature(sig)[0])
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_bytes(zlib.compress(dumps(data._reduce()), 9))
            unfinished.replace(path)

    def enable(self) -> None:
        """Load and keep compiled kernels from now on."""
        self._on = True
        self._own.enable()

    def disable(self) -> None:
        """Load and keep no compiled kernels from now on."""
        self._on = False
        self._own.disable()

    def flush(self) -> None:
        """Empty numba's own cache of this function."""
        self._own.flush()


class Kernel(CPUDispatcher):
    """A function compiled by numba, by a signature on the list where one fits."""

    named: ClassVar[dict[str, Kernel]] = {}
    """by the name that stands in the list"""
    watchers: ClassVar[list[Callable[[Any, Signature], None]]] = []
    """called with the function and the types of a first call from Python, as they were given"""
    _within = 0
    """how many kernels are being made ready: those within others are not called from Python"""

    def __init__(
        self, py_func: Any, locals: Any = None, targetoptions: Any = None, lanes: bool = False, **more: Any
    ) -> None:
        super().__init__(py_func, locals, targetoptions, **more)
        self._lanes = lanes
        """whether statements that are alike are to become vector instructions"""
        self._cache = KernelCache(py_func)
        self._given: set[Signature] = set()
        """types by which one of the list was found: numba knows them by a number, which they have while they live"""
        Kernel.named[name_of(py_func)] = self

    def compile(self, sig: Any) -> Any:
        """Return the kernel for these types: from the shipped folder, from numba's cache, or by compiling it."""
        with global_compiler_lock:
            given, _ = normalize_signature(sig)
            signature = fitting(name_of(self.py_func), given)
            Kernel._within += 1
            before = config.SLP_VECTORIZE  # numba looks at it whenever it compiles
            config.SLP_VECTORIZE = int(self._lanes or before)
            try:
                entry = super().compile(sig if signature is None else signature)
            finally:
                Kernel._within -= 1
                config.SLP_VECTORIZE = before
            if signature is not None and signature != given and given not in self._given:
                self._given.add(given)
                self._insert([argument._code for argument in given], entry, False)
            if not Kernel._within:
                for watcher in Kernel.watchers:
                    watcher(self.py_func, given)
            return entry


def _record(function: Any, signature: Signature) -> None:
    with open(os.environ["TENFOLD_RECORD"], "a") as file:
        file.write(line(name_of(function), signature) + "\n")


if "TENFOLD_RECORD" in os.environ:  # in every process of a test suite, to make the list of signatures
    Kernel.watchers.append(_record)
