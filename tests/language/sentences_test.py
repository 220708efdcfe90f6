"""Sentences for people are short and have a plain subject."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import sentences  # noqa: E402

CPP = r"""
// "A comment is no sentence of the program and may say what it likes here."
log::warn("the device is slow: its times are "
          "no figures of its kind. Look at \"nvidia-smi\"");
const char* name = "short text";
add(R"css(.a { color: red; } and more of the same style sheet)css");
"""
PYTHON = '''
"""A docstring is a comment, not a message of the program."""
raise RuntimeError(f"the worker runs {threads} threads, not those "
                   "asked for in the trial")
'''


def found_in(source: str) -> list[str]:
    return [each.text for each in sentences.sentences_of("a.cpp", sentences.literals(source))]


class Tree(unittest.TestCase):
    def test_every_sentence_is_short_and_has_a_plain_subject(self) -> None:
        found = sentences.all_sentences()
        self.assertGreater(len(found), 1000, "the sentences of the programs were not found")
        self.assertEqual(sentences.problems(found), [])


class Extraction(unittest.TestCase):
    def test_neighbouring_literals_are_one_text(self) -> None:
        self.assertEqual(
            found_in(CPP),
            ["the device is slow: its times are no figures of its kind.", 'Look at "nvidia-smi"'][
                :1
            ],
        )

    def test_messages_of_python_are_found_and_docstrings_are_not(self) -> None:
        found = [
            each.text for each in sentences.sentences_of("a.py", sentences.python_literals(PYTHON))
        ]
        self.assertEqual(found, ["the worker runs {} threads, not those asked for in the trial"])


class Rules(unittest.TestCase):
    def problem(self, text: str) -> str:
        return sentences.problem_of(sentences.Sentence("a.cpp", 1, text))

    def test_long_sentences_are_refused(self) -> None:
        self.assertIn("26 words", self.problem("word " * 26))
        self.assertEqual(self.problem("word " * 25), "")

    def test_subjects_that_name_nothing_are_refused(self) -> None:
        for text in (
            "what is given back was taken",
            "Who leads is named",
            "Those of the run go on",
        ):
            self.assertIn("subject", self.problem(text))
        self.assertEqual(self.problem("Which of both is faster?"), "")
        self.assertEqual(self.problem("whatever the batch is, calls take time"), "")


if __name__ == "__main__":
    unittest.main()
