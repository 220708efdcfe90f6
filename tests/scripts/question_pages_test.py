"""scripts/question_pages.py and question_checks.py: every sweep and every short script has its place in a page."""

import json
import unittest
from pathlib import Path

from scripts.printed_run import END, ROOT, begin_line
from scripts.question_checks import PAGE_OF_CHECK, PROCESSES, table
from scripts.question_pages import (
    OPTIONS,
    PAGE_OF_SWEEP,
    PAGE_OF_TRAINING,
    PAGES,
    QUESTIONS,
    SCRIPT,
    Kept,
)
from scripts.second_run import kept

WITHOUT_A_RUN = {
    "digits-ddp",
    "quickstart",
    "tf2-execution-modes-grid",
}  # README.md and a guide show two; the last is for a cluster
WITHOUT_A_COMPARISON = "gpu-against-cpu"  # as long as no run had a GPU


class Pages(unittest.TestCase):
    def text(self, page: str) -> str:
        return (QUESTIONS / f"{page}.md").read_text(encoding="utf-8")

    def printed(self, page: str, begin: str) -> str:
        _before, found, rest = self.text(page).partition(begin)
        self.assertTrue(found, f"{page}.md lacks {begin}")
        return rest.partition(END)[0]

    def test_every_sweep_has_a_page_that_tells_how_to_run_it(self) -> None:
        sweeps = {path.stem for path in (ROOT / "sweeps").glob("*.json")}
        self.assertEqual(sweeps - WITHOUT_A_RUN, set(PAGES))
        for sweep, page in PAGES.items():
            command = " ".join([f"regatta run sweeps/{sweep}.json", *OPTIONS.get(sweep, ())])
            self.assertIn(f"\n{command}\n", self.text(page))

    def test_every_sweep_that_compares_leads_to_the_ratios_of_all_its_runs(self) -> None:
        ratios = self.text("second-run")
        for sweep, page in PAGE_OF_SWEEP.items():
            if sweep == WITHOUT_A_COMPARISON:
                continue
            self.assertIn(f"\n### {sweep}\n", ratios)
            self.assertIn(f"(second-run.md#{sweep.replace('.', '')})", self.text(page))

    def test_runs_took_no_more_than_their_total_and_a_tenth(self) -> None:
        for sweep in kept().values():
            total = json.loads((ROOT / "sweeps" / f"{sweep.name}.json").read_text())["measure"][
                "total"
            ]
            self.assertTrue(total.endswith("m"), sweep.name)
            for run in sweep.runs:
                limit = 1.1 * 60 * float(total[:-1])
                self.assertLessEqual(run.wall_seconds or 0.0, limit, sweep.name)

    def test_the_page_of_a_training_holds_what_it_printed(self) -> None:
        for sweep, page in PAGE_OF_TRAINING.items():
            printed = self.printed(page, begin_line(sweep, SCRIPT))
            self.assertIn(f"$ regatta run sweeps/{sweep}.json\n{sweep}", printed)

    def test_every_short_script_stands_in_its_page_with_what_it_printed(self) -> None:
        scripts = {path.stem for path in (QUESTIONS / "checks").glob("*.py")}
        self.assertEqual(scripts, set(PAGE_OF_CHECK))
        for check, page in PAGE_OF_CHECK.items():
            begin = f"<!-- what checks/{check}.py printed in {PROCESSES} processes: scripts/question_checks.py -->\n"
            self.assertIn(" ms [", self.printed(page, begin))

    def test_end_with_all_figures(self) -> None:
        for page in set(PAGES.values()) | {"second-run"}:
            before, found, figures = self.text(page).partition("\n## All figures\n")
            self.assertTrue(found, page)
            self.assertNotIn(END, before, page)
            self.assertNotIn("\n## ", figures, page)

    def test_hold_text_alone_since_a_command_makes_the_rest_again(self) -> None:
        made = [path.name for kind in ("html", "png", "h5") for path in QUESTIONS.glob(f"*.{kind}")]
        self.assertEqual(made, [])

    def test_results_pages_and_pictures_lie_side_by_side_in_the_folder_that_is_asked_for(
        self,
    ) -> None:
        kept = Kept(Path("/kept"), "versions")
        places = [kept.results, kept.page, kept.picture, kept.said]
        names = [f"/kept/versions.{kind}" for kind in ("h5", "html", "png", "run.json")]
        self.assertEqual([str(place) for place in places], names)

    def test_the_index_leads_to_every_page(self) -> None:
        index = self.text("README")
        for page in {path.stem for path in Path(QUESTIONS).glob("*.md")} - {"README"}:
            self.assertIn(f"[{page}]({page}.md)", index)


class Checks(unittest.TestCase):
    def test_a_table_has_the_ratio_within_each_process(self) -> None:
        runs = [{"one": 1.0, "two": 2.0}, {"one": 2.0, "two": 4.0}, {"one": 3.0, "two": 9.0}]
        lines = table(runs).split("\n")
        self.assertEqual(lines[0], "one    2.000 ms [1.000, 3.000]")
        self.assertEqual(
            lines[1], "two    4.000 ms [2.000, 9.000]  2.00 times the first [2.00, 3.00]"
        )

    def test_each_number_of_rows_has_a_first_of_its_own(self) -> None:
        lines = table([{"8 rows: a": 1.0, "8 rows: b": 2.0, "9 rows: a": 5.0, "9 rows: b": 5.0}])
        self.assertNotIn("times", lines.split("\n")[2])
        self.assertIn("1.00 times the first", lines.split("\n")[3])


if __name__ == "__main__":
    unittest.main()
