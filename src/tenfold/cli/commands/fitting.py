"""Commands `tenfold fit`, `predict` and `evaluate`: a model from files, its predictions, and how good they are."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

import tenfold as tn
from tenfold.cli import options
from tenfold.cli.output import check_can_write, show
from tenfold.cli.pipeline_for_table import described, learner_of, pipeline_for

PARQUET_MAGIC = b"PAR1"


def fit(
    data: options.Data,
    learner: options.Learner,
    out: options.Out,
    target: options.OptionalTarget = None,
    parameters: options.Parameters = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    weight: options.Weight = None,
    where: options.Where = None,
    raw: options.Raw = False,
    engine: options.Engine = "local",
    as_json: options.AsJson = False,
) -> None:
    """Fit a model and write it to a file.

    Numbers with gaps, categories, text and dates are prepared as the learner needs them; what is done is printed, and
    is part of the model.
    """
    check_can_write(out, [".tenfold"])
    asked = learner_of(learner, parameters)
    rows = options.scanned(data, target, drop=drop, categorical=categorical, weight=weight, where=where)
    with options.on_engine(engine):
        model, steps = (asked, []) if raw else pipeline_for(asked, described(rows))
        model.fit(rows)
    model.save(out)
    certificate = model.certificate_
    said = [*steps, f"{out}: {learner}, {certificate.verdict}"]
    document = {"model": str(out), "learner": learner, "preprocessing": steps, "certificate": certificate.to_dict()}
    show("\n".join(said), document, as_json)


def predict(
    model: Annotated[Path, typer.Argument(help="A model file, or the Parquet file of a cube.")],
    data: options.Data,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A .parquet or .csv file, or a folder; default: print CSV."),
    ] = None,
    probabilities: Annotated[bool, typer.Option("--proba", help="Predict probabilities of the classes.")] = False,
    keep: Annotated[list[str] | None, typer.Option("--keep", help="Columns to write beside the predictions.")] = None,
    where: options.Where = None,
    engine: options.Engine = "local",
) -> None:
    """Predict the rows of some files."""
    if out is not None and out.suffix:
        check_can_write(out, [".parquet", ".csv"])
    fitted = open_model(model)
    names = [str(name) for name in fitted.feature_names_in_]
    rows = options.scanned(data, columns=names, where=where)
    if probabilities and not hasattr(fitted, "predict_proba"):
        raise typer.BadParameter(f"{type(fitted).__name__} has no probabilities", param_hint="--proba")
    with options.on_engine(engine):
        predictions = fitted.predict_proba(rows) if probabilities else fitted.predict(rows)
        if out is not None and out.suffix != ".csv":
            predictions.to_parquet(out, keep=options.listed(keep))
        else:
            _write_csv(predictions, out, options.listed(keep))


def evaluate(
    model: Annotated[Path, typer.Argument(help="A model file.")],
    data: options.Data,
    target: options.Target,
    scoring: options.Scoring = None,
    groups: options.Groups = None,
    level: options.Level = 0.95,
    drop: options.Drop = None,
    where: options.Where = None,
    engine: options.Engine = "local",
    as_json: options.AsJson = False,
) -> None:
    """Score a model on rows it was not made from, with confidence intervals."""
    fitted = open_model(model)
    rows = options.scanned(data, target, drop=drop, where=where)
    with options.on_engine(engine):
        found = tn.certify(
            fitted, rows, groups=options.group_option(groups), level=level, scoring=options.listed(scoring) or None
        )
    scores = _intervals(found)
    from tenfold.model_selection.formatting import in_columns

    lines = [["score", "value", f"{100 * level:g} % interval"]]
    for name, value, low, high in scores:
        lines.append([name, f"{value:.5g}", "" if low is None or high is None else f"{low:.5g} to {high:.5g}"])
    counted = f"{found.provenance.rows:,} rows" if found.provenance is not None else ""
    document = {
        "scores": [dict(zip(("score", "value", "low", "high"), row, strict=True)) for row in scores],
        "certificate": found.to_dict(),
    }
    show(f"{in_columns(lines)}\n{counted}", document, as_json)


def open_model(path: Path) -> Any:
    """Load a model file, or open a cube."""
    with path.open("rb") as file:
        is_cube = file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
    return tn.Cube.open(path) if is_cube else tn.load(path)


def _intervals(certificate: tn.Certificate) -> list[tuple[str, float, float | None, float | None]]:
    """Each score of a certificate, with the ends of its interval where it has one."""
    known = {claim.kind: claim.value for claim in certificate.claims}
    names = [kind for kind in known if not kind.endswith((" at least", " at most"))]
    return [(name, known[name], known.get(f"{name} at least"), known.get(f"{name} at most")) for name in names]


def _write_csv(predictions: Any, out: Path | None, keep: list[str]) -> None:
    """Write predictions as CSV, part by part; the parts wait as Parquet beside the file, or in a temporary folder."""
    import pyarrow.csv
    import pyarrow.parquet as pq

    folder = Path(tempfile.mkdtemp(dir=out.parent if out else None, prefix=".tenfold-"))
    unfinished = folder / "predictions.csv"
    try:
        paths = predictions.to_parquet(folder / "parts", keep=keep)
        writer = None
        try:
            for path in paths:
                for batch in pq.ParquetFile(path).iter_batches():
                    if writer is None:
                        sink = sys.stdout.buffer if out is None else unfinished
                        writer = pyarrow.csv.CSVWriter(sink, batch.schema)
                    writer.write_batch(batch)
        finally:
            if writer is not None:
                writer.close()
        if out is not None:
            unfinished.replace(out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
