"""Tables of games are read by other libraries as they are: Hugging Face `datasets`, pandas, polars, duckdb."""

import pytest

pytest.importorskip("pyarrow", reason="pip install 'cardtable[data]'")

import pyarrow.parquet as pq

from cardtable.cli.main import main

pytestmark = pytest.mark.filterwarnings("ignore")  # their own

KINDS = ("games", "decisions")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the command makes."""
    out = tmp_path_factory.mktemp("tables")
    words = ["muster", "heuristic:1", "random", "--games", "6", "--workers", "1", "--observations", "--out", str(out)]
    assert main(["data", *words]) == 0
    return out


@pytest.fixture(params=KINDS)
def path(request, folder):
    return folder / f"{request.param}.parquet"


def test_hugging_face_reads_them_row_by_row(path, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="pip install 'cardtable[huggingface]'")
    found = datasets.load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(tmp_path))
    assert list(found) == pq.read_table(path).to_pylist()


def test_pandas_reads_them(path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    rows = pq.read_table(path).to_pylist()
    found = pandas.read_parquet(path)
    assert list(found.columns) == list(rows[0])
    assert found["game"].tolist() == [row["game"] for row in rows]


def test_polars_reads_them(path):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    assert polars.read_parquet(path).to_dicts() == pq.read_table(path).to_pylist()


def test_duckdb_reads_them(path):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    rows = pq.read_table(path).num_rows
    assert duckdb.sql(f"select count(*) from '{path}'").fetchall() == [(rows,)]
