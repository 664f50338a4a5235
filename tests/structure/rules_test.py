# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of layers.py, names.py and source_rules.py find what they are for, and let pass what is right."""
import pathlib
import tempfile
import unittest

import layers
import names
import source_rules


def includes(path, *headers):
    return list(layers.offences({path: "".join(f"#include {h}\n" for h in headers)}))


class Layers(unittest.TestCase):
    def test_earlier_stages_and_standard_headers_may_be_included(self):
        self.assertEqual(includes("core/propagation/launching/launch.cpp", '"core/base/error.h"',
                                  '"core/tiling/tiling.h"', '"core/physics/fresnel.h"',
                                  '"core/propagation/tubes/tube.h"', "<vector>", "<sys/mman.h>"), [])
        self.assertEqual(includes("core/visibility/rows/half_rows.cpp", '"core/visibility/visibility.h"',
                                  '"core/visibility/search/sight_search.h"', '"core/tiling/tiling.h"'), [])
        self.assertEqual(includes("core/io/sources/crs.cpp", '"core/comparison/comparison.h"', "<ogr_api.h>",
                                  "<proj.h>"), [])
        self.assertEqual(includes("tests/unit/io/layer_test.cpp", '"core/io/results/layer.h"', "<gtest/gtest.h>", "<gdal.h>"),
                         [])

    def test_later_stages_may_not(self):
        for path, header in (("core/base/error.h", "core/geometry/vector.h"),
                             ("core/scene/scene.h", "core/tiling/tiling.h"),
                             ("core/scene/scene.h", "core/scene/ground_plan/polygon.h"),
                             ("core/scene/ground_plan/p.h", "core/scene/landscape/terrain_surface.h"),
                             ("core/scene/footprints/f.h", "core/scene/clean_up/overlaps.h"),
                             ("core/tiling/t.cpp", "core/scene/clean_up/overlaps.h"),
                             ("core/physics/utd.h", "core/scene/scene.h"), ("core/tiling/t.cpp", "core/physics/utd.h"),
                             ("core/visibility/visibility.h", "core/visibility/file/visibility_file.h"),
                             ("core/visibility/occlusion/o.h", "core/visibility/search/horizon.h"),
                             ("core/visibility/rows/r.cpp", "core/visibility/file/work_file.h"),
                             ("core/propagation/rays/ray.h", "core/visibility/updates/scene_change.h"),
                             ("core/prediction/p.cpp", "core/io/readers/readers.h"), ("cuda/kernel.cu", "core/io/readers/readers.h"),
                             ("core/propagation/rays/ray.h", "core/propagation/tubes/tube.h"),
                             ("core/propagation/rooftops/roof.h", "core/propagation/rows/row.h"),
                             ("core/propagation/images/i.cpp", "core/propagation/launching/launch.h"),
                             ("core/io/sources/crs.cpp", "core/io/readers/readers.h"),
                             ("core/io/readers/r.cpp", "core/io/results/layer.h"),
                             ("processing_algorithms/main.cpp", "cuda/kernel.h"),
                             ("processing_algorithms/run/run.h", "processing_algorithms/stages/site_stage.h"),
                             ("processing_algorithms/stages/s.cpp", "processing_algorithms/registry.h")):
            self.assertEqual(len(includes(path, f'"{header}"')), 1, (path, header))

    def test_libraries_stay_in_their_folders(self):
        for path, header in (("core/scene/scene.cpp", "gdal.h"), ("core/scene/scene.cpp", "ogrsf_frmts.h"),
                             ("core/visibility/v.cpp", "sqlite3.h"), ("core/tiling/t.cpp", "geos_c.h"),
                             ("core/scene/clean.h", "geos_c.h"), ("core/scene/s.cpp", "embree3/rtcore.h"),
                             ("core/visibility/v.cpp", "cuda_runtime.h"), ("core/io/results/w.cpp", "CLI/CLI.hpp"),
                             ("core/base/e.cpp", "gtest/gtest.h"), ("processing_algorithms/main.cpp", "proj.h")):
            self.assertEqual(len(includes(path, f"<{header}>")), 1, (path, header))

    def test_geos_lives_in_one_file(self):
        one = {"core/scene/ground_plan/overlay.cpp": "#include <geos_c.h>\n"}
        self.assertEqual(list(layers.offences(one)), [])
        self.assertEqual(len(list(layers.offences({**one, "core/scene/ground_plan/polygon.cpp": "#include <geos_c.h>\n"}))), 1)

    def test_headers_are_named_from_the_root(self):
        self.assertEqual(len(includes("core/io/results/layer.cpp", '"layer.h"')), 1)
        self.assertEqual(includes("tests/unit/io/layer_test.cpp", '"gis_files.h"'), [])

    def test_nobody_knows_embree_but_tests(self):
        self.assertEqual(len(includes("core/visibility/v.cpp", "<embree3/rtcore.h>")), 1)
        self.assertEqual(includes("tests/unit/visibility/v.cpp", "<embree3/rtcore.h>"), [])

    def test_the_page_tells_the_same(self):
        page = (pathlib.Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
        self.assertEqual(list(layers.differences(page)), [])
        for row, other in (("`visibility.h` | tiling |", "`visibility.h` | scene |"), ("| `rooftops` |", "| `rooftop` |"),
                           ("`clean_footprint.h` | ground_plan |", "`clean_footprint.h` | the root |"),
                           ("| io, `cuda/backend.h` |", "| io |"), ("| `core/tiling` |", "| `core/tilings` |"),
                           ("| scattering, rooftops |", "| scattering |")):
            self.assertIn(row, page)
            self.assertNotEqual(list(layers.differences(page.replace(row, other))), [], row)

    def test_a_new_folder_needs_a_row(self):
        self.assertEqual(len(includes("core/weather/rain.h", "<vector>")), 1)
        self.assertEqual(len(includes("core/propagation/beams/beam.h", "<vector>")), 1)
        self.assertEqual(len(includes("core/visibility/beams/beam.h", "<vector>")), 1)
        self.assertEqual(len(includes("processing_algorithms/tools/tool.cpp", "<vector>")), 1)


class Names(unittest.TestCase):
    def clashes(self, names_in, *texts):
        files = {f"{number}.cpp": f"namespace tesseray {{\n{text}\n}}  // namespace tesseray\n"
                 for number, text in enumerate(texts)}
        return [line.split(":")[0] if "::" not in line else line.split(": ")[0]
                for line in names.clashes(files, names_in)]

    def own(self, *texts):
        return self.clashes(names.own_names_in, *(f"namespace {{\n{text}\n}}  // namespace" for text in texts))

    def test_a_type_is_defined_in_one_header(self):
        block = "class Block {\n  int a;\n};"
        self.assertEqual(self.clashes(names.types_in, block, "struct Block : Base {"), ["tesseray::Block"])
        self.assertEqual(self.clashes(names.types_in, block, "enum class Block {"), ["tesseray::Block"])
        self.assertEqual(self.clashes(names.types_in, "template <class Row>\n" + block, block), ["tesseray::Block"])
        for other in ("class Block;", "struct Blocks {", "struct Other {\n  struct Block {\n  };\n};",
                      "namespace detail {\nstruct Block {\n};\n}  // namespace detail", "// struct Block {"):
            self.assertEqual(self.clashes(names.types_in, block, other), [], other)

    def test_files_that_are_compiled_as_one_share_no_name(self):
        words = "constexpr std::array words = {Word(1),\n                              Word(2)};"
        self.assertEqual(self.own(words, "constexpr double words = 1;"), ["words"])
        self.assertEqual(self.own("double twice(double a) { return a; }", "double twice(\n    double b) {\n  return b;\n}"),
                         ["twice(double)"])
        self.assertEqual(self.own("struct Row {\n  int a;\n};", "class Row {\n};"), ["Row"])
        self.assertEqual(self.own("double twice(double a) { return a; }", "double twice(int a) { return a; }"), [])
        self.assertEqual(self.own(words, "int f() {\n  const int words = 1;\n}"), [])
        self.assertEqual(self.own("const Rings square{{{0, 0}}};", "Ring square(double a) { return {}; }"), ["square"])

    def test_one_meaning_may_be_told_twice(self):
        self.assertEqual(self.own("using Json = nlohmann::json;", "using Json = nlohmann::json;"), [])
        self.assertEqual(self.own("namespace fs = std::filesystem;", "namespace fs = std::filesystem;"), [])
        self.assertEqual(self.own("using Row = One;", "using Row = Other;"), ["Row"])

    def test_the_files_of_a_target(self):
        lists = ("tesseray_library(a SOURCES x.cpp\n  y/z.cpp LINKS other)\nadd_executable(b b.cpp)\n"
                 "tesseray_compile_together(a)\n")
        self.assertEqual(list(names.compiled_together(lists)), [["x.cpp", "y/z.cpp"]])
        lists = ("set(sources x.cpp)\nlist(APPEND sources\n  y.cpp)\ntesseray_test(a SOURCES ${sources} LINKS other)\n"
                 "tesseray_compile_together(a)\n")
        self.assertEqual(list(names.compiled_together(lists)), [["x.cpp", "y.cpp"]])


class SourceRules(unittest.TestCase):
    def offences(self, name, text):
        return list(source_rules.offences_in(pathlib.Path(name), text))

    def test_licence_line(self):
        line = "// " + source_rules.LICENCE
        self.assertEqual(self.offences("core/base/a.h", line + "\n#pragma once\n"), [])
        self.assertEqual(self.offences("scripts/run", "#!/bin/sh\n# " + source_rules.LICENCE + "\n"), [])
        self.assertEqual(len(self.offences("core/base/a.h", "#pragma once\n\n" + line)), 1)
        self.assertEqual(len(self.offences("scripts/run", "#!/bin/sh\necho\n")), 1)

    def test_names(self):
        self.assertEqual(len(self.offences("core/base/utils.h", "// " + source_rules.LICENCE)), 1)

    def test_left_over_work(self):
        licence, mark = "// " + source_rules.LICENCE + "\n", "TO" + "DO"
        self.assertEqual(len(self.offences("a.cpp", f"{licence}// {mark}: faster")), 1)
        self.assertEqual(self.offences("a.cpp", f"{licence}// {mark}(#12): faster"), [])

    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            repository = pathlib.Path(folder)
            (repository / "docs").mkdir()
            (repository / "docs" / "physics.md").touch()
            page = pathlib.Path("docs/README.md")
            text = "[a](physics.md#chapter) [b](../docs/physics.md) [c](https://example.org/x) [d](absent.md)"
            self.assertEqual(list(source_rules.broken_links(repository, page, text)),
                             ["docs/README.md: links to absent.md, which does not exist"])

    def test_sections_of_the_physics_exist(self):
        physics = "# Physics\n\n## 5. Diffraction\n\n**5.2 Coefficients.** Text.\n\n### 5.3 Corners\n"
        path = pathlib.Path("core/physics/diffraction.h")
        self.assertEqual(list(source_rules.unknown_sections(
            path, "// docs/physics.md §5, §5.2.\n// (docs/physics.md §5.2; Keller 1962)\n// docs/physics.md §5.3, the rest\n",
            physics)), [])
        self.assertEqual(list(source_rules.unknown_sections(path, "\n// docs/physics.md §5, §" + "15).\n", physics)),
                         ["core/physics/diffraction.h:2: docs/physics.md has no §15"])

    def test_stated_versions_are_the_codes(self):
        sources = ["magic = {'T', 'A', 'B', 'C'};\nconstexpr std::uint32_t work_version = 3;",
                   'magic = 0x47455654;  // "TVEG"\nconstexpr std::uint32_t version = 1;',
                   "inline constexpr int environment_format_version = 2;", "int user_version = 10300;"]
        page = ("| 0 | `TABC` |\n| 4 | u32 | format version, 3 |\n| it does not begin with `TABC` |\n| 4 | u32 | version, 9 |\n"
                "`TVEG`, u32 version (1), u64\n| `tesseray_environment` | one row: format_version (2), CRS |")
        self.assertEqual(list(source_rules.wrong_versions(page, sources)), [])
        self.assertEqual(list(source_rules.wrong_versions(page.replace("version (1)", "version (2)"), sources)),
                         ["docs/formats.md: TVEG is of version 2 there and 1 in the code"])
        self.assertEqual(len(list(source_rules.wrong_versions("", sources))), 3)
        self.assertEqual(len(list(source_rules.wrong_versions(page, sources[1:]))), 1)

    def test_every_page_is_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            repository = pathlib.Path(folder)
            (repository / "docs" / "benchmarks").mkdir(parents=True)
            (repository / "docs" / "README.md").write_text("[a](physics.md)", encoding="utf-8")
            (repository / "docs" / "physics.md").touch()
            (repository / "docs" / "benchmarks" / "speed.md").touch()
            self.assertEqual(list(source_rules.unlisted_pages(repository)),
                             ["docs/benchmarks/speed.md: docs/README.md does not list it"])

    def test_every_module_of_the_plugin_is_listed(self):
        with tempfile.TemporaryDirectory() as folder:
            repository = pathlib.Path(folder)
            plugin = repository / "qgis_plugin" / "tesseray"
            for name in ("icons", "styles"):
                (plugin / name).mkdir(parents=True)
            for name in ("__init__.py", "inputs.py", "outputs.py", "dock_plot.py", "metadata.txt"):
                (plugin / name).touch()
            (repository / "docs").mkdir()
            (repository / "docs" / "qgis.md").write_text("| `outputs.py`, `icons/` | x |\n| `dock*.py` | y |", encoding="utf-8")
            self.assertEqual(list(source_rules.unlisted_modules(repository)),
                             ["qgis_plugin/tesseray/inputs.py: docs/qgis.md does not say what it is for",
                              "qgis_plugin/tesseray/styles/: docs/qgis.md does not say what it is for"])


if __name__ == "__main__":
    unittest.main()
