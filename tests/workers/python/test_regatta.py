"""The package regatta as a worker: scripts are started with descriptor 3 as the launcher does."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import regatta
from regatta.wire import LINK_VARIABLE, PHASES, SAMPLE
from regatta_worker.link import Link

LOOP = """
import os, sys, time
import regatta
given = regatta.settings(batch=2, width=8, mode="eager")
print("settings", given["batch"], given["width"], given["mode"], os.getpid(), flush=True)
for step in regatta.steps(count=20):
    step.loss = [step.number + 0.5] * given["batch"]
print("after", flush=True)
"""
TRAINING = """
import regatta
print("imported", flush=True)
given = regatta.settings(batch=2)
step = 0
while not regatta.should_stop():
    if given["batch"] == 3:
        raise ValueError("no")
    step += 1
    regatta.report(step, validation_loss=1 / step)
"""
LEG = {"from": 0.0, "to": 1.0, "steps": 2, "evaluations": 2, "validation": 0.2}
LEG.update({"min_delta": 0.0, "metric": "validation_loss", "maximizes": False})
FIELDS = {"reentry_steps": 0, "steps": 1, "group": 1, "phase": "steady", "slice": 4}


class Script:
    """A running script and our end of its link."""

    def __init__(self, path: Path, **variables: str) -> None:
        ours, theirs = socket.socketpair()
        moved = (
            "import os, sys; os.dup2(int(sys.argv[1]), 3); "
            "os.execvp(sys.argv[2], sys.argv[2:])"  # dup2 leaves 3 open for it, as vfork and dup2 do
        )
        command = [sys.executable, "-c", moved, str(theirs.fileno()), sys.executable, path.name]
        self.process = subprocess.Popen(
            command,
            cwd=path.parent,
            env={**os.environ, **variables},
            pass_fds=[theirs.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        theirs.close()
        deadline = struct.pack("ll", 5, 0)  # seconds; the descriptor itself stays blocking
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, deadline)
        self.socket = ours
        self.link = Link(ours.fileno())

    def ask(self, type_: str, **fields: Any) -> tuple[dict[str, Any], bytes]:
        self.link.send({"type": type_, **fields})
        return self.link.receive()

    def end(self) -> str:
        """Closes the link; what the script printed."""
        self.socket.shutdown(socket.SHUT_RDWR)
        output, _ = self.process.communicate(timeout=20)
        self.socket.close()
        return output


class RegattaLoop(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(Path(regatta.__file__).parent, self.folder / "regatta")
        self.write(LOOP)

    def write(self, text: str) -> None:
        (self.folder / "my_loop.py").write_text(text)

    def start(self) -> Script:
        return self.kept(Script(self.folder / "my_loop.py", **{LINK_VARIABLE: "3"}))

    def kept(self, script: Script) -> Script:
        self.addCleanup(script.process.stdout.close)
        self.addCleanup(script.socket.close)
        self.addCleanup(script.process.wait)
        self.addCleanup(script.process.kill)
        return script

    def prepare(self, script: Script, arm: int = 0, model: Any = None, **parameters: Any) -> dict:
        request = {
            "arm": arm,
            "parameters": {"engine": "numpy@mine", "batch": 3, "mode": None, **parameters},
            "model": model,
            "weights_path": "",
            "batches_path": "",
        }
        return script.ask("prepare", **request)[0]

    def greeted(self) -> Script:
        script = self.start()
        self.assertEqual(script.ask("hello", version=1)[0]["type"], "ready")
        return script

    # ---- under Regatta ---------------------------------------------------------------------------

    def test_it_says_which_text_runs(self) -> None:
        ready, _ = self.start().ask("hello", version=1)
        digest = hashlib.sha256(LOOP.encode()).hexdigest()
        self.assertEqual((ready["engine"], ready["engine_version"]), ("my_loop.py", digest[:12]))
        self.assertEqual(self.start().ask("hello", version=2)[0]["kind"], "unsupported")

    def test_settings_are_the_trials_then_the_models_arguments_then_the_scripts(self) -> None:
        script = self.greeted()
        model = {"name": "my_loop", "python": "my_loop.py", "args": {"width": 64}}
        self.assertEqual(self.prepare(script, model=model)["type"], "prepared")
        self.assertIn("settings 3 64 eager ", script.end())

    def test_slices_are_stamped_in_groups_with_reentry_first(self) -> None:
        script = self.greeted()
        self.prepare(script, arm=2)
        header, payload = script.ask(
            "slice", arm=2, phase="warmup", slice=9, reentry_steps=3, steps=5, group=2
        )
        self.assertEqual((header["arm"], header["last"]), (2, True))
        records = list(SAMPLE.iter_unpack(payload))
        places = [(r[0], r[1], r[2], r[4]) for r in records]
        reentry, warmup = PHASES["reentry"], PHASES["warmup"]
        self.assertEqual(
            places,
            [(9, 2, reentry, 2), (9, 2, reentry, 1)] + [(9, 2, warmup, n) for n in (2, 2, 1)],
        )
        for one, following in zip(records, records[1:]):
            self.assertLessEqual(one[7] + one[8], following[7] + 1e-9)

    def test_many_samples_come_in_pieces(self) -> None:
        script = self.greeted()
        self.prepare(script)
        header, payload = script.ask("slice", arm=0, **{**FIELDS, "steps": 9000})
        self.assertEqual((header["last"], len(payload)), (False, 256 << 10))
        header, rest = script.link.receive()
        self.assertTrue(header["last"])
        self.assertEqual(len(payload) + len(rest), 9000 * SAMPLE.size)

    def test_a_check_tells_the_losses_of_the_first_steps(self) -> None:
        script = self.greeted()
        self.prepare(script)
        script.ask("slice", arm=0, **FIELDS)
        expected = [[n + 0.5] * 3 for n in range(3)]
        self.assertEqual(script.ask("check", arm=0, steps=3)[0]["losses"], expected)
        script.ask("slice", arm=0, **{**FIELDS, "steps": 50})
        self.assertEqual(script.ask("check", arm=0, steps=3)[0]["losses"], expected)

    def test_a_loop_that_tells_no_losses_is_not_checked(self) -> None:
        self.write(LOOP.replace("step.loss =", "loss ="))
        script = self.greeted()
        self.prepare(script)
        self.assertEqual(script.ask("check", arm=0, steps=3)[0]["losses"], [])

    def test_losses_may_be_anything_that_holds_numbers(self) -> None:
        for text, expected in (
            ("2", [2.0]),
            ("[[1, 2], [3, 4]]", [1, 2, 3, 4]),
            ("__import__('numpy').arange(2)", [0, 1]),
            ("float('nan')", [None]),
            ("[1.0] * 5000", [1.0]),
        ):
            with self.subTest(text):
                self.write(LOOP.replace('[step.number + 0.5] * given["batch"]', text))
                script = self.greeted()
                self.prepare(script)
                self.assertEqual(script.ask("check", arm=0, steps=1)[0]["losses"], [expected])

    def test_another_trial_is_a_fresh_run_of_the_script(self) -> None:
        script = self.greeted()
        self.prepare(script)
        self.assertEqual(script.ask("release", arm=0)[0], {"type": "released", "arm": 0})
        self.assertEqual(self.prepare(script, arm=1, batch=5)["arm"], 1)
        self.assertEqual(script.ask("check", arm=1, steps=1)[0]["losses"], [[0.5] * 5])
        lines = [line for line in script.end().splitlines() if line.startswith("settings")]
        self.assertEqual([line.split()[1] for line in lines], ["3", "5"])
        self.assertEqual(lines[0].split()[4], lines[1].split()[4], "the process is the same")

    def keeping(self, text: str) -> Script:
        """A greeted script whose runs begin behind the imports of one process."""
        self.write(text)
        variables = {LINK_VARIABLE: "3", "REGATTA_PROCESS": "kept"}
        script = self.kept(Script(self.folder / "my_loop.py", **variables))
        self.assertEqual(script.ask("hello", version=1)[0]["type"], "ready")
        return script

    def test_trials_of_a_kept_process_begin_behind_its_imports(self) -> None:
        imports = "import random, numpy\nprint('imported', flush=True)\nkept = []\n"
        draws = "kept.append(1)\nprint('drawn', len(kept), random.random(), numpy.random.random())"
        script = self.keeping(imports + LOOP.replace("for step in", f"{draws}\nfor step in"))
        for arm, batch in enumerate((3, 5, 7)):
            self.assertEqual(self.prepare(script, arm=arm, batch=batch)["arm"], arm)
            losses = script.ask("check", arm=arm, steps=1)[0]["losses"]
            self.assertEqual(losses, [[0.5] * batch])
            self.assertEqual(script.ask("release", arm=arm)[0]["type"], "released")
        lines = [line.split() for line in script.end().splitlines()]
        self.assertEqual(script.process.returncode, 0)
        self.assertEqual(lines.count(["imported"]), 1)
        settings = [line for line in lines if line[0] == "settings"]
        self.assertEqual([line[1] for line in settings], ["3", "5", "7"])
        self.assertEqual(len({line[4] for line in settings}), 3, "each in a process of its own")
        drawn = [line for line in lines if line[0] == "drawn"]
        self.assertEqual(
            [line[1] for line in drawn], ["1"] * 3, "nothing is left of the one before"
        )
        self.assertEqual(len({(line[2], line[3]) for line in drawn}), 3, "nor are draws repeated")

    def test_a_kept_process_ends_as_its_trial_did(self) -> None:
        for last_words, code in (("os._exit(7)", 7), ("os.kill(os.getpid(), 9)", -9)):
            with self.subTest(last_words):
                script = self.keeping(LOOP.replace("    step.loss =", f"    {last_words}; x ="))
                self.prepare(script)
                script.link.send({"type": "check", "arm": 0, "steps": 1})
                self.assertEqual(script.process.wait(20), code)

    def test_a_kept_process_that_has_no_trial_ends_with_the_link(self) -> None:
        script = self.keeping(LOOP)
        script.end()
        self.assertEqual(script.process.returncode, 0)

    def test_a_training_that_fails_in_a_kept_process_leaves_it_for_the_next(self) -> None:
        script = self.keeping(TRAINING)
        answers = []
        for arm, batch in enumerate((3, 5)):
            self.prepare(script, arm=arm, batch=batch, work=None)
            path = str(self.folder / f"run{arm}.safetensors")
            answers.append(script.ask("train", arm=arm, checkpoint_path=path, **LEG)[0])
        self.assertEqual((answers[0]["type"], answers[0]["final"]), ("error", True))
        self.assertIn("ValueError: no (my_loop.py, line 8)", answers[0]["message"])
        self.assertEqual((answers[1]["type"], answers[1]["arm"]), ("trained", 1))
        self.assertGreater(answers[1]["learned"]["peak_bytes"], 1 << 20, "of the child")
        self.assertEqual(script.end().count("imported"), 1)

    def test_the_end_of_the_link_ends_the_loop(self) -> None:
        script = self.greeted()
        self.prepare(script)
        self.assertIn("after", script.end())
        self.assertEqual(script.process.returncode, 0)

    def test_an_error_in_the_loop_is_the_answer(self) -> None:
        self.write(
            LOOP.replace(
                "    step.loss =",
                "    if step.number == 3: raise ValueError('no  way')\n    step.loss =",
            )
        )
        script = self.greeted()
        self.prepare(script)
        error, _ = script.ask("slice", arm=0, **{**FIELDS, "steps": 9})
        self.assertEqual(
            (error["type"], error["kind"], error["final"]), ("error", "reported", True)
        )
        self.assertEqual(error["message"], "ValueError: no way (my_loop.py, line 7)")
        self.assertIn("Traceback", script.end())

    def test_so_is_one_before_the_loop(self) -> None:
        self.write("import regatta\nimport no_such_module\n")
        script = self.greeted()
        error = self.prepare(script)
        self.assertEqual(
            error["message"],
            "ModuleNotFoundError: No module named 'no_such_module' (my_loop.py, line 2)",
        )

    def test_a_loop_that_is_left_says_so(self) -> None:
        self.write(
            LOOP.replace("    step.loss =", "    if step.number == 3: break\n    step.loss =")
        )
        script = self.greeted()
        self.prepare(script)
        error, _ = script.ask("slice", arm=0, **{**FIELDS, "steps": 9})
        self.assertIn("the loop was left before Regatta was done with it", error["message"])

    def test_a_script_without_a_loop_says_so(self) -> None:
        self.write("import regatta\nregatta.settings()\n")
        error = self.prepare(self.greeted())
        self.assertIn("the script ended before Regatta was done with it", error["message"])

    def test_a_script_that_is_not_the_sweeps_is_refused(self) -> None:
        model = {
            "name": "l",
            "python": "my_loop.py",
            "args": {},
            "sources": {"my_loop.py": "0" * 64},
        }
        error = self.prepare(self.greeted(), model=model)
        self.assertEqual(error["type"], "error")
        self.assertIn("is not the my_loop.py that the sweep named", error["message"])

    def test_what_is_not_prepared_and_unknown_requests_are_errors(self) -> None:
        script = self.greeted()
        self.prepare(script)
        self.assertIn("not prepared", script.ask("slice", arm=7, **FIELDS)[0]["message"])
        self.assertIn("no request", script.ask("train", arm=0)[0]["message"])
        self.assertEqual(script.ask("slice", arm=0, **FIELDS)[0]["type"], "samples")

    # ---- by hand ---------------------------------------------------------------------------------

    def run_by_hand(self) -> str:
        command = [sys.executable, "my_loop.py"]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=20, close_fds=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_by_hand_it_is_bounded_and_tells_the_median(self) -> None:
        output = self.run_by_hand()
        self.assertIn("settings 2 8 eager ", output)
        self.assertRegex(output, r"20 steps by hand: median [0-9.]+ [a-z]+\nafter")

    def test_by_hand_a_socket_that_somebody_left_open_is_no_link(self) -> None:
        for is_dead in (False, True):
            script = self.kept(Script(self.folder / "my_loop.py"))
            if is_dead:
                script.socket.shutdown(socket.SHUT_RDWR)
            output, _ = script.process.communicate(timeout=20)
            self.assertIn("20 steps by hand", output)

    def test_by_hand_it_ends_after_some_seconds(self) -> None:
        self.write(
            LOOP.replace("count=20", "seconds=0.2").replace("step.loss =", "time.sleep(0.05); x =")
        )
        output = self.run_by_hand()
        self.assertRegex(output, r"\n[1-5] steps by hand: median ")


if __name__ == "__main__":
    unittest.main()
