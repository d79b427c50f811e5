"""A wheel holds its kernels compiled, for the levels of TENFOLD_LEVELS: "here" (the default), "none", or names.

A level that cannot be compiled is left out with a warning: kernels are then compiled at first use. Where levels are
named, as for a release, it is an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        levels = os.environ.get("TENFOLD_LEVELS", "here")
        if self.target_name != "wheel" or version == "editable" or levels == "none":
            return
        self.folder = tempfile.TemporaryDirectory()
        command = [sys.executable, "-m", "tenfold.compiled.compile", "--to", self.folder.name]
        if levels != "here":
            command += [word for level in levels.split(",") for word in ("--level", level)]
        self.app.display_info("compiling kernels, for some minutes")
        known = os.environ.get("PYTHONPATH")  # where pip keeps what the build needs, such as numba
        path = os.pathsep.join([str(Path(self.root) / "src"), *([known] if known else [])])
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=False)
        if done.returncode and levels != "here":
            raise SystemExit(f"kernels could not be compiled for {levels}")
        if done.returncode:
            self.app.display_warning("kernels could not all be compiled: they will be at first use")
        if any(Path(self.folder.name).iterdir()):
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["force_include"][self.folder.name] = "tenfold/compiled/_compiled"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if "folder" in vars(self):
            self.folder.cleanup()
