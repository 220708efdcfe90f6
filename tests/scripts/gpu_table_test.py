"""scripts/gpu_table.py: the tables of docs/background/gpu-h200.md are those of what a GPU answered."""

import re
import tempfile
import unittest
from pathlib import Path

from scripts import gpu_table


def arm(*slices: float) -> dict:
    return {"slices": list(slices), "refused": "" if slices else "unsupported: no such thing"}


def timing(name: str, **arms: dict) -> dict:
    return {"tables": {name: {"mlp": {label.replace("_", " "): arms[label] for label in arms}}}}


class Page(unittest.TestCase):
    def test_has_the_tables_of_the_recorded_run(self) -> None:
        page = gpu_table.PAGE.read_text(encoding="utf-8")
        self.assertEqual(
            gpu_table.page_of(page), page, "python3 -m scripts.gpu_table writes them anew"
        )

    def test_says_of_each_missed_bar_why(self) -> None:
        reasons = re.split("bars? (?:is|are) missed", gpu_table.PAGE.read_text(encoding="utf-8"))[1]
        missed = [bar["trial"] for bar in gpu_table.read("timing")["bars"] if not bar["is_reached"]]
        self.assertTrue(missed)
        for trial in missed:
            self.assertIn(f"\n- {trial.partition(',')[0]}", reasons.partition("###")[0])

    def test_is_not_written_where_a_mark_is_lost(self) -> None:
        with self.assertRaises(ValueError):
            gpu_table.replaced("no marks", "limits", "text")

    def test_keeps_what_stands_around_the_marks(self) -> None:
        page = "a\n<!-- gpu_table.py: x -->\nold\n<!-- gpu_table.py: end of x -->\nb\n"
        new = gpu_table.replaced(page, "x", "new\n")
        self.assertTrue(new.startswith("a\n") and new.endswith("\nb\n"))
        self.assertNotIn("old", new)
        self.assertEqual(gpu_table.replaced(new, "x", "new\n"), new)


class Times(unittest.TestCase):
    def test_the_fastest_framework_is_told_by_rounds_that_both_took(self) -> None:
        arms = {
            "native graph": arm(1e-6, 2e-6, 1e-6),
            "native, one core": arm(1e-9),
            "jax": arm(4e-6, 4e-6),
            "torch eager": arm(9e-6),
            "torch compiled": arm(),
        }
        self.assertEqual(gpu_table.fastest(arms), "jax")
        self.assertEqual(gpu_table.ahead_text(arms), "3x [2, 4] JAX")
        self.assertEqual(gpu_table.ahead_text({"native graph": arm(1e-6)}), "–")

    def test_agree_with_the_bars_that_the_check_told(self) -> None:
        found = gpu_table.read("timing")
        for bar in found["bars"]:
            arms = found["tables"][gpu_table.RESIDENT][bar["trial"]]
            self.assertEqual(gpu_table.fastest(arms), bar["fastest"])
            median, _, _ = gpu_table.times(arms, bar["fastest"], gpu_table.OURS)
            self.assertLess(abs(median / bar["ahead"]["median"] - 1), 1e-3, bar["trial"])

    def test_a_ratio_near_one_has_a_digit_more(self) -> None:
        self.assertEqual(gpu_table.ratio_text(0.9999, 0.9976, 1.003), "0.9999x [0.9976, 1.003]")
        self.assertEqual(gpu_table.ratio_text(3.8123, 2.8, 5.5371), "3.81x [2.8, 5.54]")

    def test_what_is_not_there_has_its_reason(self) -> None:
        arms = {"native graph": arm(1e-6), "jax": arm()}
        found = timing(gpu_table.RESIDENT, native_graph=arms["native graph"], jax=arm())
        text = gpu_table.resident(found | {"bars": []})
        self.assertIn("| mlp | 1 us | – |", text)
        self.assertIn("- –: no such thing.", text)

    def test_says_where_one_core_is_ahead(self) -> None:
        cells = {"native_graph": arm(2e-6), "native,_one_core": arm(1e-6)}
        self.assertIn(
            "in mlp (1 us against 2 us).", gpu_table.faster_core(timing("t", **cells), "t")
        )
        cells["native,_one_core"] = arm(3e-6)
        self.assertIn("in none of them.", gpu_table.faster_core(timing("t", **cells), "t"))


class Lengths(unittest.TestCase):
    def test_are_told_where_the_gpu_overtakes(self) -> None:
        self.assertIn("each of these lengths, 35", gpu_table.overtaking([(35, 1.5), (70, 2.0)]))
        self.assertIn("between lengths 35 and 70", gpu_table.overtaking([(35, 0.5), (70, 2.0)]))
        self.assertIn("at the longest", gpu_table.overtaking([(35, 0.5), (70, 0.9)]))


class Kernels(unittest.TestCase):
    def test_are_named_by_what_they_are(self) -> None:
        names = {
            "void regatta::each_row<4, regatta::AddBias>(T2, regatta::Tiles)": "`each_row` AddBias",
            "void regatta::loss<2>(regatta::LossView, unsigned int *)": "`loss`",
            "void tiled_product<TileOf<1>, GatheredLines, 4>(T2)": "tiled convolution, 2 x 1 x 7 blocks",
            "void tiled_product<TileOf<6>, PlainLines, 4>(T2)": "tiled product",
            "void cutlass::Kernel2<some_gemm>(T1::Params)": "product of cuBLASLt",
        }
        for name, kind in names.items():
            self.assertEqual(gpu_table.kind_of({"kernel": name, "grid": "(2, 1, 7)"}), kind)


class Command(unittest.TestCase):
    def test_check_changes_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "gpu.md"
            marks = "".join(
                f"<!-- gpu_table.py: {name} -->\n<!-- gpu_table.py: end of {name} -->\n"
                for name in gpu_table.TABLES
            )
            page.write_text(marks)
            self.assertEqual(gpu_table.main(["--check", "--page", str(page)]), 1)
            self.assertEqual(page.read_text(), marks)
            self.assertEqual(gpu_table.main(["--page", str(page)]), 0)
            self.assertEqual(gpu_table.main(["--check", "--page", str(page)]), 0)


if __name__ == "__main__":
    unittest.main()
