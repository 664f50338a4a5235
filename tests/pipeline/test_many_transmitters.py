# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of many transmitters: predicted several at once, with some that fail, and killed or cancelled in the middle.
Always the rows of one undisturbed run, one transmitter after the other."""

import errno
import json
import os
import re
import signal
import struct
import subprocess
import time
import unittest

from tesseray_process import (EXECUTABLE, SCENE, PipelineTest, json_lines, made, module_folder, rows, tesseray,
                              transmitters_csv, without_predictions_of_others)

# Smaller than usual, so that each transmitter takes a while.
SMALL_TILES = ["--tile-area", "120"]
COUNT = 9


def setUpModule():
    global ENVIRONMENT, VISIBILITY, DAMAGED, UNDISTURBED
    ENVIRONMENT = module_folder() / "environment.gpkg"
    VISIBILITY = ENVIRONMENT.with_suffix(".tvis")
    made("tileenvironment", *SCENE, *SMALL_TILES, "--environment", ENVIRONMENT)
    made("computevisibility", "--environment", ENVIRONMENT)
    DAMAGED = with_unreadable_rows(VISIBILITY.read_bytes())
    folder = ENVIRONMENT.parent
    UNDISTURBED = result_hash_of(made(*prediction(transmitters_csv(folder, many_sites()), folder / "r.gpkg"),
                                      "--threads", "1"))


def result_hash_of(process):
    return json.loads(process.stdout)["result_hash"]


def many_sites(erp_of_last=40):
    lines = [f"S{s},{340400 + 25 * s},{6020600 - 20 * s},{30 + s},{800 + 100 * s},{40 if s < COUNT else erp_of_last}\n"
             for s in range(1, COUNT + 1)]
    return "name,x,y,height_m,frequency_mhz,erp_dbm\n" + "".join(lines)


def prediction(sites, output):
    return ["predictcoverage", "--environment", ENVIRONMENT, *sites, "--max-bounces", "2", "--progress", "json",
            "--path-loss", output]


def xxh64(content):
    """The checksum of docs/formats.md: XXH64 with seed 0."""
    mask = 2**64 - 1
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                          0x27D4EB2F165667C5)

    def turned(x, bits):
        return (x << bits | x >> 64 - bits) & mask

    def mixed(lane, word):
        return turned((lane + word * p2) & mask, 31) * p1 & mask

    hashed, at = p5, 0
    if len(content) >= 32:
        lanes = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        while at + 32 <= len(content):
            lanes = [mixed(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", content, at))]
            at += 32
        hashed = sum(turned(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            hashed = ((hashed ^ mixed(0, lane)) * p1 + p4) & mask
    hashed = (hashed + len(content)) & mask
    while at + 8 <= len(content):
        hashed = (turned(hashed ^ mixed(0, struct.unpack_from("<Q", content, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if at + 4 <= len(content):
        hashed = (turned(hashed ^ struct.unpack_from("<I", content, at)[0] * p1 & mask, 23) * p2 + p3) & mask
        at += 4
    for byte in content[at:]:
        hashed = turned(hashed ^ byte * p5 & mask, 11) * p1 & mask
    hashed = (hashed ^ hashed >> 33) * p2 & mask
    hashed = (hashed ^ hashed >> 29) * p3 & mask
    return hashed ^ hashed >> 32


def with_unreadable_rows(content):
    """A visibility file whose rows are no rows, and whose checksums are right."""
    content = bytearray(content)
    tiles, edges, rows_per_block, blocks = struct.unpack_from("<4I", content, 32)
    for block in range(blocks):
        entry = 72 + 24 * block
        offset, size, checksum = struct.unpack_from("<3Q", content, entry)
        assert xxh64(content[offset:offset + size]) == checksum
        coded = offset + 12 * min(rows_per_block, tiles + edges - block * rows_per_block)
        content[coded:offset + size] = b"\xff" * (offset + size - coded)
        struct.pack_into("<Q", content, entry + 16, xxh64(content[offset:offset + size]))
    struct.pack_into("<Q", content, 56, xxh64(content[72:72 + 24 * blocks]))
    struct.pack_into("<Q", content, 64, xxh64(content[:64]))
    return bytes(content)


def warnings_of(text):
    return {line["warning"]["code"]: line["warning"]["message"] for line in json_lines(text) if "warning" in line}


def number_taken_over(told):
    """How many transmitters were not predicted again."""
    return int(re.search(r"(\d+) of \d+ transmitters", told["predictions_reused"])[1])


class ManyTransmittersTest(PipelineTest):
    def setUp(self):
        super().setUp()
        self.result = self.folder / "r.gpkg"
        self.work = self.folder / "r.predictions"
        self.sites = transmitters_csv(self.folder, many_sites())

    def command(self, *options, output=None):
        return [*prediction(self.sites, output or self.result), *options]

    def hash_of_undisturbed(self, *options):
        """The result hash of one run, one transmitter after the other."""
        other = self.folder / "undisturbed.gpkg"
        process = self.assert_done(tesseray(*self.command(*options, output=other), "--threads", "1", "--overwrite"))
        other.unlink()
        return result_hash_of(process)

    def finished(self):
        """The files of the transmitters that are predicted (docs/formats.md)."""
        return sorted(self.work.glob("[0-9a-f]*.tprd"))

    def stop_in_the_middle(self, how, *options, count=2):
        """A run that was stopped when at least so many transmitters were finished, and others not."""
        process = subprocess.Popen([EXECUTABLE, *without_predictions_of_others(*self.command(*options))],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        while len(self.finished()) < count:
            self.assertIsNone(process.poll(), "the run was quicker than its test")
            time.sleep(0.001)
        process.send_signal(how)
        out, told = process.communicate(timeout=60)
        self.assertEqual(out, "")
        self.assertFalse(self.result.exists())
        self.assertTrue(self.work.exists())
        return process.returncode, told

    def assert_resumed(self, expected_hash, *options):
        """Runs again; the number of transmitters that were not predicted again."""
        process = self.assert_done(tesseray(*self.command(*options)))
        told = warnings_of(process.stderr)
        self.assertEqual(json.loads(process.stdout)["result_hash"], expected_hash)
        self.assertEqual(self.files(), ["r.gpkg", "transmitters.csv"])
        return number_taken_over(told)

    def test_several_at_once_give_the_rows_of_one_after_the_other(self):
        for threads in (2, 5):
            process = self.assert_done(tesseray(*self.command("--threads", threads, "--overwrite")))
            self.assertEqual(result_hash_of(process), UNDISTURBED)
        ids = [row["transmitter_id"] for row in rows(self.result, "path_loss", "transmitter_id", "fid")]
        self.assertEqual(ids, sorted(ids))
        self.assertEqual(set(ids), set(range(1, COUNT + 1)))

    def test_killed_it_goes_on(self):
        receivers = self.folder / "receivers.csv"
        outdoors = [row for row in rows(ENVIRONMENT, "tiles", "x, y, kind", "tile_id") if row["kind"] == "ground"]
        receivers.write_text("id,x,y\n" + "".join(f"{i},{outdoors[i]['x']},{outdoors[i]['y']}\n" for i in (50, 100)))
        options = ["--receivers", receivers, "--receivers-crs", "EPSG:25832", "--rays", f"{self.result}|layername=rays",
                   "--receiver-path-loss", self.result, "--wideband", "--delay-profile-rays", "3"]
        other = self.folder / "undisturbed.gpkg"
        undisturbed = [str(option).replace(str(self.result), str(other)) for option in options]
        expected = self.hash_of_undisturbed(*undisturbed)
        status, _ = self.stop_in_the_middle(signal.SIGKILL, *options)
        self.assertEqual(status, -signal.SIGKILL)
        process = self.assert_done(tesseray(*self.command(*options)))
        self.assertIn("predictions_reused", warnings_of(process.stderr))
        self.assertEqual(result_hash_of(process), expected)
        self.assertGreater(len(rows(self.result, "rays", "fid")), COUNT)
        self.assertEqual(self.files(), ["r.gpkg", "receivers.csv", "transmitters.csv"])

    def test_killed_again_and_again_it_comes_to_its_end(self):
        for count in (1, 3, 5):
            self.stop_in_the_middle(signal.SIGKILL, "--threads", "1", count=count)
        self.assertGreaterEqual(self.assert_resumed(UNDISTURBED), 5)

    def test_cancelled_it_goes_on(self):
        status, told = self.stop_in_the_middle(signal.SIGTERM, "--threads", "1")
        self.assertEqual(status, 130, told)
        self.assertGreaterEqual(self.assert_resumed(UNDISTURBED), 2)

    def test_other_parameters_use_nothing_of_it(self):
        self.stop_in_the_middle(signal.SIGKILL, "--threads", "1")
        expected = self.hash_of_undisturbed("--min-power", "-100")
        process = self.assert_done(tesseray(*self.command("--min-power", "-100")))
        self.assertNotIn("predictions_reused", warnings_of(process.stderr))
        self.assertEqual(result_hash_of(process), expected)
        self.assertEqual(self.files(), ["r.gpkg", "transmitters.csv"])

    def test_another_visibility_uses_nothing_of_it(self):
        self.stop_in_the_middle(signal.SIGKILL, "--threads", "1")
        near = self.folder / "near.tvis"
        self.assert_done(tesseray("computevisibility", "--environment", ENVIRONMENT, "--max-distance", "60",
                                  "--visibility", near))
        good = VISIBILITY.read_bytes()
        self.addCleanup(VISIBILITY.write_bytes, good)
        VISIBILITY.write_bytes(near.read_bytes())
        expected = self.hash_of_undisturbed()
        process = self.assert_done(tesseray(*self.command()))
        self.assertNotIn("predictions_reused", warnings_of(process.stderr))
        self.assertEqual(result_hash_of(process), expected)

    def test_a_transmitter_that_changed_is_predicted_again(self):
        self.stop_in_the_middle(signal.SIGKILL, "--threads", "1")
        count = len(self.finished())
        transmitters_csv(self.folder, many_sites().replace("S1,340425,", "S1 moved,340426,"))
        expected = self.hash_of_undisturbed()
        self.assertEqual(self.assert_resumed(expected), count - 1)

    def test_damaged_work_is_not_used(self):
        self.stop_in_the_middle(signal.SIGKILL, "--threads", "1", count=4)
        finished = self.finished()
        content = bytearray(finished[1].read_bytes())
        content[len(content) // 2] ^= 1
        finished[1].write_bytes(content)
        process = self.assert_done(tesseray(*self.command()))
        told = warnings_of(process.stderr)
        self.assertIn(finished[1].name, told["kept_prediction_damaged"])
        self.assertEqual(number_taken_over(told), len(finished) - 1)
        self.assertEqual(result_hash_of(process), UNDISTURBED)

    def test_what_is_not_ours_stays(self):
        self.work.mkdir()
        (self.work / "notes.txt").write_text("precious")
        self.assert_done(tesseray(*self.command()))
        self.assertEqual(self.files(), ["r.gpkg", "r.predictions", "transmitters.csv"])
        self.assertEqual([path.name for path in self.work.iterdir()], ["notes.txt"])

    def test_a_file_in_the_place_of_the_folder_stays(self):
        self.work.write_text("precious")
        process = self.assert_done(tesseray(*self.command()))
        told = warnings_of(process.stderr)["predictions_not_kept"]
        self.assertEqual(told, f"predictions are not kept for another run: {self.work}: {os.strerror(errno.ENOTDIR)}")
        self.assertEqual(self.work.read_text(), "precious")


class FailingTransmittersTest(PipelineTest):
    """A visibility file whose rows cannot be read is found out only by a transmitter that lights their elements: one so
    weak that its rays end where they first arrive reads none. (Scattering asks what every tile sees. What is seen from
    over the ground, which asks, too, is known from an earlier run.)"""

    def setUp(self):
        super().setUp()
        self.damaged = self.folder / "damaged.tvis"
        self.damaged.write_bytes(DAMAGED)
        self.damaged.with_suffix(".tsog").write_bytes(VISIBILITY.with_suffix(".tsog").read_bytes())
        self.result = self.folder / "r.gpkg"

    def predict(self, text, *options, visibility):
        sites = transmitters_csv(self.folder, "name,x,y,height_m,frequency_mhz,erp_dbm\n" + text)
        return tesseray("predictcoverage", "--environment", ENVIRONMENT, "--visibility", visibility, *sites,
                        "--min-power", "-90", "--max-scatterings", "0", "--path-loss", self.result, "--progress", "json", *options)

    STRONG = "Strong,340500,6020500,40,900,43\n"
    WEAK = "Weak,340420,6020580,45,1800,-100\nWeak too,340520,6020480,50,1800,-100\n"

    def test_those_that_fail_do_not_stop_the_others(self):
        process = self.predict(self.STRONG + self.WEAK, visibility=self.damaged)
        self.assertEqual(process.returncode, 4, process.stderr)
        result = json.loads(process.stdout)
        self.assertEqual([failed["name"] for failed in result["failed_transmitters"]], ["Strong"])
        self.assertIn("damaged", result["failed_transmitters"][0]["message"])
        self.assertIn("Strong", warnings_of(process.stderr)["transmitter_failed"])
        (run,) = rows(self.result, "tesseray_runs")
        self.assertEqual(json.loads(run["failed_transmitters"]), result["failed_transmitters"])
        self.assertEqual({row["transmitter_id"] for row in rows(self.result, "path_loss", "transmitter_id", "fid")},
                         {2, 3})
        # The same rows as without the one that fails.
        whole = self.folder / "whole.gpkg"
        alone = transmitters_csv(self.folder, "name,x,y,height_m,frequency_mhz,erp_dbm\n" + self.WEAK)
        self.assert_done(tesseray("predictcoverage", "--environment", ENVIRONMENT, "--visibility", VISIBILITY, *alone,
                                  "--min-power", "-90", "--max-scatterings", "0", "--path-loss", whole, "--progress", "json"))
        columns = "tile_id, path_loss_db, ray_count"
        self.assertEqual(rows(self.result, "path_loss", columns, "fid"), rows(whole, "path_loss", columns, "fid"))

    def test_another_run_predicts_only_those_that_failed(self):
        process = self.predict(self.STRONG + self.WEAK, visibility=self.damaged)
        self.assertEqual(process.returncode, 4, process.stderr)
        self.assertIn("r.predictions", warnings_of(process.stderr)["predictions_kept"])
        # The cause is mended in its place.
        self.damaged.write_bytes(VISIBILITY.read_bytes())
        process = self.assert_done(self.predict(self.STRONG + self.WEAK, "--overwrite", visibility=self.damaged))
        self.assertEqual(number_taken_over(warnings_of(process.stderr)), 2)
        self.assertEqual(self.files(), ["damaged.tsog", "damaged.tvis", "r.gpkg", "transmitters.csv"])
        resumed = result_hash_of(process)
        process = self.assert_done(self.predict(self.STRONG + self.WEAK, "--overwrite", visibility=VISIBILITY))
        self.assertEqual(result_hash_of(process), resumed)

    def test_when_all_fail_nothing_is_written(self):
        process = self.predict(self.STRONG + self.STRONG.replace("Strong", "Strong too"), visibility=self.damaged)
        self.assert_refused(process, "damaged_visibility")
        self.assertEqual(self.files(), ["damaged.tsog", "damaged.tvis", "transmitters.csv"])


if __name__ == "__main__":
    unittest.main()
