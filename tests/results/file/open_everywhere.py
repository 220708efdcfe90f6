"""Opens a result file the ways its readers do, and checks what they see."""

import sys

import numpy as np
import xarray as xr

GROUPS = [
    "trials",
    "samples",
    "blocks",
    "attempts",
    "hosts",
    "devices",
    "envs",
    "provenance",
    "cube/mlp-10",
]


def check_group(path: str, engine: str, group: str) -> None:
    """The group opens, loads, and each of its variables has named axes."""
    with xr.open_dataset(path, engine=engine, group=group) as dataset:
        dataset.load()
        names = [str(name) for variable in dataset.variables.values() for name in variable.dims]
        assert not any(name.startswith("phony_dim") for name in names), (
            f"{group}: nameless axes {names}"
        )


def check_trials(path: str, engine: str) -> None:
    """Each trial is a row; types, units and missing values are what docs/reference/results.md says."""
    with xr.open_dataset(path, engine=engine, group="trials") as trials:
        assert trials.m_step_time.attrs["units"] == "s"
        assert trials.m_samples_per_second.attrs["units"] == "s-1"
        assert trials.f_batch.dtype == np.int64, "no trial lacks a batch, so it stays an integer"
        assert trials.status.dtype == np.int8
        meanings = trials.status.attrs["flag_meanings"].split()
        assert list(trials.status.attrs["flag_values"]) == list(range(len(meanings)))
        finished = trials.isel(trial=trials.status.values == meanings.index("finished"))
        assert finished.sizes["trial"] > 0
        assert bool(np.isfinite(finished.m_step_time).all())
        assert np.issubdtype(trials.t_start.dtype, np.datetime64)
        assert str(trials.t_start.values.min()) > "2023", "dates are decoded"
        assert {"native", "numpy"} <= {str(engine_name) for engine_name in trials.f_engine.values}


def check_samples(path: str, engine: str) -> None:
    """The ragged array: the trial's samples are those that its range names."""
    with (
        xr.open_dataset(path, engine=engine, group="trials") as trials,
        xr.open_dataset(path, engine=engine, group="samples") as samples,
    ):
        assert int(trials.n_samples.sum()) == samples.sizes["sample"]
        for trial in range(trials.sizes["trial"]):
            start, count = int(trials.sample_start[trial]), int(trials.n_samples[trial])
            assert (samples.trial_index[start : start + count] == trial).all()
        assert samples.wall_s.attrs["units"] == "s"
        assert samples.wall_s.dtype == np.float64, "times are not decoded to dates"


def check_cube(path: str, engine: str) -> None:
    """The cube selects by label and agrees with the table."""
    with (
        xr.open_dataset(path, engine=engine, group="cube/mlp-10") as cube,
        xr.open_dataset(path, engine=engine, group="trials") as trials,
    ):
        assert cube.m_step_time.dims == ("engine", "mode", "batch"), cube.m_step_time.dims
        assert cube.batch.attrs["units"] == "samples"
        cell = cube.sel(engine="native", mode="graph", batch=8)
        row = trials.isel(trial=int(cell.trial))
        assert str(row.f_engine.item()) == "native"
        assert str(row.f_mode.item()) == "graph"
        assert int(row.f_batch) == 8
        assert float(cell.m_step_time) == float(row.m_step_time)
        assert np.isnan(cube.m_step_time.sel(engine="native", mode="xla", batch=8)), "skipped"
        unread = cube.trial.sel(engine="numpy", batch=8)
        assert len(set(unread.values.tolist())) == 1, (
            "numpy reads no mode: one trial in all of them"
        )


def check_netcdf(path: str) -> None:
    """The netCDF library itself finds no nameless dimension and may add to the file."""
    import netCDF4

    with netCDF4.Dataset(path) as dataset:
        assert dataset.Conventions == "CF-1.11"
        assert dataset.format == "regatta-results"
        assert set(dataset.groups) >= {group.split("/")[0] for group in GROUPS}
        assert dataset["provenance/sweep_json"][...].startswith("{")
    with netCDF4.Dataset(path, "a") as dataset:
        dataset.setncattr("note", "netCDF may write because the order of creation is tracked")


def main() -> None:
    path = sys.argv[1]
    for engine in ("netcdf4", "h5netcdf"):
        for group in GROUPS:
            check_group(path, engine, group)
        check_trials(path, engine)
        check_samples(path, engine)
        check_cube(path, engine)
    check_netcdf(path)


if __name__ == "__main__":
    main()
