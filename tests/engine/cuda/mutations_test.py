"""The rules of mutations.py, on a kernel of a few lines."""

import unittest

from mutations import all_mutants, described, drawn_mutants, planted_text

KERNEL = """// Sums, i < 3 of them.
#include "engine/cuda/kernels/packs.cuh"
namespace regatta {
inline __global__ void __launch_bounds__(64) sums(const float* x, float* y, int count) {
  REGATTA_SHARED(float, parts, [64]);
  const int i = threadIdx.x;
  if (i >= count) return;
  parts[i] = x[i] + x[i - 1];
  __syncthreads();
  for (int k = 0; k < 4; k += 2) y[k] += parts[k];
  require(cudaEventRecord(event.get(), compute), "cudaEventRecord: i < 3");
}
}
"""


class Mutations(unittest.TestCase):
    def planted(self, rule: str) -> list[str]:
        lines = []
        for mutant, by in all_mutants("sums.cuh", KERNEL):
            if by.name == rule:
                lines.append(described(mutant, KERNEL).partition("  ->  ")[2])
        return lines

    def test_what_waits_or_guards_is_dropped_everywhere(self) -> None:
        self.assertEqual(self.planted("barrier"), [";"])
        self.assertEqual(self.planted("guard"), [""])
        self.assertEqual(self.planted("call to CUDA"), [";"])
        always = {by.name for _, by in all_mutants("sums.cuh", KERNEL) if by.always}
        drawn = drawn_mutants("sums.cuh", KERNEL, 10**9)
        self.assertEqual({mutant.rule for mutant in drawn}, always)

    def test_bounds_signs_and_indices_are_shifted(self) -> None:
        self.assertEqual(self.planted("at least"), ["if (i > count) return;"])
        self.assertEqual(self.planted("condition"), ["if (!(i >= count)) return;"])
        self.assertEqual(self.planted("plus"), ["parts[i] = x[i] - x[i - 1];"])
        self.assertEqual(self.planted("minus"), ["parts[i] = x[i] + x[i + 1];"])
        self.assertEqual(
            self.planted("stride"), ["for (int k = 0; k < 4; k += 2 + 1) y[k] += parts[k];"]
        )

    def test_a_stride_among_others_is_the_one_that_changes(self) -> None:
        loop = "  for (; tap < taps; tap += stride, --position) y[tap] = x[position];"
        planted = [
            planted_text(mutant, loop)
            for mutant, by in all_mutants("x", loop)
            if by.name == "stride"
        ]
        self.assertEqual(planted, [loop.replace("+= stride", "+= stride + 1")])

    def test_words_are_left_alone(self) -> None:
        self.assertEqual(
            self.planted("less"), ["for (int k = 0; k <= 4; k += 2) y[k] += parts[k];"]
        )
        self.assertFalse([line for line in self.planted("number") if "launch_bounds" in line])

    def test_a_name_stays_while_its_line_does(self) -> None:
        names = {mutant.name for mutant, _ in all_mutants("sums.cuh", KERNEL)}
        moved = "// One line more.\n" + KERNEL.replace("int i = threadIdx.x", "int i = 0")
        later = {mutant.name for mutant, _ in all_mutants("sums.cuh", moved)}
        self.assertEqual(names - later, set())
        self.assertEqual(len(names), len(list(all_mutants("sums.cuh", KERNEL))))

    def test_one_place_changes(self) -> None:
        for mutant, _ in all_mutants("sums.cuh", KERNEL):
            changed = planted_text(mutant, KERNEL)
            self.assertNotEqual(changed, KERNEL)
            self.assertEqual(changed.count("\n") > KERNEL.count("\n"), False)


if __name__ == "__main__":
    unittest.main()
