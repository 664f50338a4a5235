#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same city in Tesseray and in Sionna RT, on the same processor: rays, path loss and time.

Prints the tables of docs/benchmarks/sionna.md. The ground must be flat, and buildings stand on it and have no
material of their own (bench_buildings.py makes such): Sionna gets the environment's prisms and one plane.

  rays TESSERAY ENVIRONMENT X Y HEIGHT   all rays to street points within 250 m, traceimage against Sionna's PathSolver
  scattering TESSERAY ENVIRONMENT X Y HEIGHT   power that walls scatter to points out of sight, against PathSolver
  map TESSERAY ENVIRONMENT VISIBILITY X Y HEIGHT      path loss of all ground tiles against Sionna's RadioMapSolver
  wedge             diffraction at the conducting wedge of Sionna's own example scene against the textbook formula

Needs Debian's GDAL for Python and, in a virtual environment with --system-site-packages, sionna-rt, mapbox-earcut and
scipy; and an LLVM that Sionna works with (DRJIT_LIBLLVM_PATH; LLVM 19 does, 14 and 15 do not).
"""
import collections
import csv
import itertools
import pathlib
import random
import resource
import sys
import tempfile

import drjit
import mapbox_earcut
import mitsuba
import numpy as np
import scipy.special
from osgeo import ogr

from tool_figures import figures_of

mitsuba.set_variant("llvm_ad_mono_polarized")
import sionna.rt as rt  # noqa: E402  pylint: disable=wrong-import-position,wrong-import-order

ogr.UseExceptions()

FREQUENCY_HZ = 3.5e9
WAVELENGTH_M = 299_792_458 / FREQUENCY_HZ
PERMITTIVITY, CONDUCTIVITY = 5.0, 0.05
# A slab as thick as this reflects as the half-space that Tesseray's walls are.
THICKNESS_M = 20.0
RECEIVER_HEIGHT_M = 1.5
# 40 dBm relative to a half-wave dipole, as power of an isotropic radiator.
ERP_DBM, EIRP_DBM = 40.0, 42.15
RECEIVERS, RADIUS_M = 100, 250
SCATTERING_COEFFICIENT = 0.5
REFLECTIONS = 3
CELL_M = 10.0
# Two ways that differ by less are one: single precision is a few tenths of a millimetre off.
SAME_DELAY_NS = 0.05

# Of conductors, which reflect either polarisation whole.
CONDUCTOR = 1.0, 1e7


def surfaces(permittivity=PERMITTIVITY, conductivity=CONDUCTIVITY):
    """What all tools are told of them."""
    return ["--permittivity", permittivity, "--conductivity", conductivity, "--vegetation-loss", "none",
            "--summation", "power"]


def processor_seconds_now():
    """Of this process and its children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(work, *parameters):
    """What the work returns, and its processor seconds as a cell of a table."""
    begin = processor_seconds_now()
    result = work(*parameters)
    return result, f"{processor_seconds_now() - begin:.1f}"


def write_points(file, header, rows):
    """A CSV file; the environment's own coordinates."""
    with open(file, "w", encoding="utf-8", newline="") as target:
        csv.writer(target).writerows([header, *rows])


def write_transmitter(file, place):
    """The one transmitter, isotropic and vertical."""
    write_points(file, ["name", "x", "y", "height_m", "frequency_mhz", "erp_dbm", "antenna"],
                 [["A", *place, FREQUENCY_HZ / 1e6, ERP_DBM, "isotropic"]])


def features(file, layer):
    """The features of a layer, one by one."""
    source = ogr.Open(str(file))
    yield from source.GetLayerByName(layer)


def crs_of(environment):
    """The environment's CRS as WKT."""
    source = ogr.Open(str(environment))
    return source.GetLayerByName("buildings").GetSpatialRef().ExportToWkt()


def ground_centroids(file, layer):
    """{tile number: (x, y)} of ground tiles."""
    places = {}
    for tile in features(file, layer):
        if tile["kind"] == "ground":
            centroid = tile.GetGeometryRef().Centroid()
            places[tile["tile_id"]] = (centroid.GetX(), centroid.GetY())
    return places


# ---- the scene in Sionna

def prism_mesh(rings, bottom, top):
    """Vertices and triangles of walls and roof, normals outwards. Faces share their vertices: Sionna finds edges so."""
    corners = np.concatenate(rings)
    ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
    roof = mapbox_earcut.triangulate_float64(corners, ends).reshape(-1, 3).astype(np.int64)
    sides = corners[roof]
    downwards = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0]) < 0
    roof[downwards] = roof[downwards][:, ::-1]
    triangles, count = [roof], len(corners)
    for number, (ring, end) in enumerate(zip(rings, ends)):
        begin = np.arange(end - len(ring), end)
        follower = np.roll(begin, -1)
        x, y = corners[:, 0], corners[:, 1]
        counterclockwise = np.sum(x[begin] * y[follower] - x[follower] * y[begin]) > 0
        if counterclockwise != (number == 0):
            begin, follower = follower, begin
        triangles += [np.stack([begin + count, follower + count, follower], 1),
                      np.stack([begin + count, follower, begin], 1)]
    vertices = np.concatenate([np.c_[corners, np.full(count, height)] for height in (top, bottom)])
    return vertices, np.concatenate(triangles)


def buildings_mesh(environment, origin):
    """One mesh of all prisms, about the origin; walls go on a metre below the ground."""
    vertices, triangles, count = [], [], 0
    for building in features(environment, "buildings"):
        outline = building.GetGeometryRef()
        rings = [np.array(outline.GetGeometryRef(i).GetPoints())[:-1, :2] - origin
                 for i in range(outline.GetGeometryCount())]
        of_prism, faces = prism_mesh(rings, building["base_z"] - 1, building["roof_z"])
        vertices.append(of_prism)
        triangles.append(faces + count)
        count += len(of_prism)
    return np.concatenate(vertices), np.concatenate(triangles)


def scene_object(name, vertices, triangles):
    """A mesh of the one material."""
    mesh = mitsuba.Mesh(name, len(vertices), len(triangles))
    content = mitsuba.traverse(mesh)
    content["vertex_positions"] = np.ascontiguousarray(vertices, np.float32).ravel()
    content["faces"] = np.ascontiguousarray(triangles, np.uint32).ravel()
    content.update()
    material = rt.RadioMaterial(f"material of {name}", thickness=THICKNESS_M, relative_permittivity=PERMITTIVITY,
                                conductivity=CONDUCTIVITY)
    return rt.SceneObject(mi_mesh=mesh, name=name, radio_material=material)


def use_vertical_antennas(scene):
    """Isotropic and vertical at both ends, as Tesseray's."""
    scene.frequency = FREQUENCY_HZ
    scene.tx_array = scene.rx_array = rt.PlanarArray(num_rows=1, num_cols=1, pattern="iso", polarization="V")


def sionna_city(environment, place):
    """The scene, and its extent as two corners; x and y count from the transmitter."""
    vertices, triangles = buildings_mesh(environment, np.array(place[:2]))
    corners = vertices[:, :2].min(0), vertices[:, :2].max(0)
    west, south, east, north = *(corners[0] - 1000), *(corners[1] + 1000)
    ground = np.array([[west, south, 0], [east, south, 0], [east, north, 0], [west, north, 0]])
    scene = rt.load_scene()
    scene.edit(add=[scene_object("buildings", vertices, triangles),
                    scene_object("ground", ground, np.array([[0, 1, 2], [0, 2, 3]]))])
    use_vertical_antennas(scene)
    scene.add(rt.Transmitter("transmitter", position=[0.0, 0.0, place[2]]))
    return scene, corners


# ---- rays to points

def kind_of(interactions):
    """What a ray did on its way: R and D in order, or LOS."""
    return "".join(letter for letter in interactions.replace("G", "R") if letter in "RD") or "LOS"


def exact_rays(file):
    """{receiver: [(delay in ns, gain in dB, kind)]} of traceimage."""
    rays = collections.defaultdict(list)
    for ray in features(file, "rays"):
        rays[ray["target_id"]].append((ray["delay_ns"], ray["power_dbm"] - EIRP_DBM, kind_of(ray["interactions"])))
    return rays


def sionna_paths(scene, samples, diffraction):
    """Amplitudes, delays and validity (receiver, path), and interactions (step, receiver, path), of all paths."""
    paths = rt.PathSolver()(scene, max_depth=REFLECTIONS, samples_per_src=samples, refraction=False,
                            diffraction=diffraction)
    amplitudes = np.array(paths.a[0]) + 1j * np.array(paths.a[1])
    return (amplitudes[:, 0, 0, 0], np.array(paths.tau)[:, 0], np.array(paths.valid)[:, 0],
            np.array(paths.interactions)[:, :, 0])


def sionna_rays(paths):
    """The same as exact_rays of Sionna's paths; receivers count from 1."""
    letters = {0: "", rt.constants.InteractionType.SPECULAR: "R", rt.constants.InteractionType.DIFFRACTION: "D"}
    amplitudes, delays, valid, interactions = paths
    rays = collections.defaultdict(list)
    for receiver, path in zip(*np.nonzero(valid)):
        kind = kind_of("".join(letters[number] for number in interactions[:, receiver, path]))
        gain = 20 * np.log10(max(abs(amplitudes[receiver, path]), 1e-30))
        rays[receiver + 1].append((delays[receiver, path] * 1e9, gain, kind))
    return rays


def matched(mine, others):
    """Pairs of rays of one kind and delay, each ray once; and what is left of the others."""
    pairs, left = [], list(others)
    for ray in mine:
        same = [other for other in left if other[2] == ray[2] and abs(other[0] - ray[0]) < SAME_DELAY_NS]
        if same:
            nearest = min(same, key=lambda other: abs(other[1] - ray[1]))
            left.remove(nearest)
            pairs.append((ray, nearest))
    return pairs, left


def print_rays(ours, theirs):
    """A row for each kind of ray."""
    print("| rays | Tesseray | both | Sionna alone | median of the difference, dB | greatest, dB |\n"
          "|---|---|---|---|---|---|")
    pairs, alone = [], []
    for receiver in {*ours, *theirs}:
        found, left = matched(ours[receiver], theirs[receiver])
        pairs += found
        alone += left
    counts = collections.Counter(ray[2] for rays in ours.values() for ray in rays)
    for kind in sorted({*counts, *(ray[2] for ray in alone)}, key=lambda kind: ("D" in kind, len(kind), kind)):
        differences = [abs(other[1] - ray[1]) for ray, other in pairs if ray[2] == kind]
        only = sum(ray[2] == kind for ray in alone)
        figures = f"{np.median(differences):.4f} | {max(differences):.3f}" if differences else "– | –"
        print(f"| {kind} | {counts[kind]} | {len(differences)} | {only} | {figures} |")


def scene_with_points(environment, place):
    """Sionna's scene with receivers at random street points near the transmitter, a folder, and parameters of tools.

    The folder is a new one that holds the transmitter and the same points as files; the parameters give a tool these
    files, with their CRS, and the environment.
    """
    near = [centroid for centroid in ground_centroids(environment, "tiles").values()
            if np.hypot(*(np.array(centroid) - place[:2])) < RADIUS_M]
    points = random.Random(3).sample(sorted(near), RECEIVERS)
    folder = pathlib.Path(tempfile.mkdtemp())
    write_transmitter(folder / "transmitter.csv", place)
    write_points(folder / "receivers.csv", ["x", "y"], points)
    scene, _ = sionna_city(environment, place)
    for number, point in enumerate(points):
        x, y = np.array(point) - place[:2]
        scene.add(rt.Receiver(f"receiver {number}", position=[float(x), float(y), RECEIVER_HEIGHT_M]))
    crs = crs_of(environment)
    return scene, folder, ["--environment", environment, "--transmitters", folder / "transmitter.csv",
                           "--transmitters-crs", crs, "--receivers", folder / "receivers.csv", "--receivers-crs", crs]


def compare_rays(executable, environment, *place):
    """traceimage against PathSolver."""
    scene, folder, inputs = scene_with_points(environment, [float(number) for number in place])
    for diffractions in (0, 1):
        _, seconds = timed(
            figures_of, executable, "traceimage", *inputs, "--max-reflections", REFLECTIONS,
            "--max-diffractions", diffractions, "--max-reflections-with-diffractions", REFLECTIONS,
            "--rays-per-receiver", 100000, "--output", folder / "exact.gpkg", *surfaces())
        print(f"\n{RECEIVERS} receivers, {REFLECTIONS} interactions, of which {diffractions} diffractions\n\n"
              f"| | rays | processor s |\n|---|---|---|", flush=True)
        ours = exact_rays(folder / "exact.gpkg")
        print(f"| Tesseray, traceimage | {sum(map(len, ours.values()))} | {seconds} |", flush=True)
        for samples in (10**4, 10**5, 10**6):
            # The first run compiles its kernels; the second is measured.
            for _ in range(2):
                paths, seconds = timed(sionna_paths, scene, samples, diffractions > 0)
            theirs = sionna_rays(paths)
            print(f"| Sionna, 10^{round(np.log10(samples))} samples | {sum(map(len, theirs.values()))} | {seconds} |",
                  flush=True)
        print()
        print_rays(ours, theirs)


def compare_scattering(executable, environment, *place):
    """Scattering alone, by conductors: one interaction, at points that the transmitter does not see."""
    scene, folder, inputs = scene_with_points(environment, [float(number) for number in place])
    figures_of(executable, "predictcoverage", *inputs, "--max-reflections", 0, "--max-diffractions", 0,
               "--max-scatterings", 1, "--max-after-scattering", 0, "--over-rooftop", "none", "--min-power", -250,
               "--scattering-model", "reflected", "--scattering-coefficient", SCATTERING_COEFFICIENT,
               "--receiver-path-loss", f"{folder / 'predicted.gpkg'}|layername=receiver_path_loss",
               *surfaces(*CONDUCTOR))
    ours = {row["receiver_id"]: -row["basic_loss_db"]
            for row in features(folder / "predicted.gpkg", "receiver_path_loss")
            if row["basic_loss_db"] is not None and not row["line_of_sight"]}
    for material in scene.radio_materials.values():
        material.scattering_coefficient = SCATTERING_COEFFICIENT
        material.relative_permittivity, material.conductivity = CONDUCTOR
    # Every sample that hits something makes a path to every receiver: more samples take gigabytes.
    paths = rt.PathSolver()(scene, max_depth=1, samples_per_src=2 * 10**5, max_num_paths_per_src=2 * 10**7, los=False,
                            specular_reflection=False, diffuse_reflection=True, refraction=False)
    powers = np.sum(np.array(paths.a[0])[:, 0, 0, 0] ** 2 + np.array(paths.a[1])[:, 0, 0, 0] ** 2, axis=-1)
    differences = [10 * np.log10(powers[receiver - 1]) - gain for receiver, gain in ours.items()
                   if powers[receiver - 1] > 0]
    print("| points | Sionna − Tesseray: mean, dB | median | deviation |\n|---|---|---|---|\n"
          f"| {len(differences)} | {np.mean(differences):.2f} | {np.median(differences):.2f} | "
          f"{np.std(differences):.2f} |")


# ---- path loss over a city

def path_gains(file):
    """{ground tile: gain in dB} of a prediction."""
    return {row["tile_id"]: -row["basic_loss_db"] for row in features(file, "path_loss")
            if row["kind"] == "ground" and row["basic_loss_db"] is not None}


def sionna_map(scene, corners, samples, diffraction):
    """Gains of cells in dB, rows from the south; −∞ where nothing arrives."""
    size = np.ceil((corners[1] - corners[0]) / CELL_M) * CELL_M
    centre = [*map(float, corners[0] + size / 2), RECEIVER_HEIGHT_M]
    radio_map = rt.RadioMapSolver()(scene, center=centre, orientation=[0, 0, 0], size=[*map(float, size)],
                                    cell_size=[CELL_M, CELL_M], max_depth=REFLECTIONS, samples_per_tx=samples,
                                    refraction=False, diffraction=diffraction)
    with np.errstate(divide="ignore"):
        return 10 * np.log10(np.array(radio_map.path_gain)[0])


def gains_at(cells, corner, places):
    """{tile: gain in dB} of the cells in which the places lie, where something arrives."""
    gains = {}
    for tile, place in places.items():
        column, row = np.floor((np.array(place) - corner) / CELL_M).astype(int)
        if 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1] and np.isfinite(cells[row, column]):
            gains[tile] = cells[row, column]
    return gains


def difference(gains, reference):
    """How many of the reference's tiles are reached, mean and standard deviation of the differences there."""
    differences = [gains[tile] - reference[tile] for tile in reference if tile in gains]
    return f"{len(differences)} | {np.mean(differences):.2f} | {np.std(differences):.2f}"


def compare_maps(executable, environment, visibility, *place):
    """predictcoverage against RadioMapSolver."""
    place = [float(number) for number in place]
    folder = pathlib.Path(tempfile.mkdtemp())
    write_transmitter(folder / "transmitter.csv", place)
    places = ground_centroids(environment, "tiles")
    scene, corners = sionna_city(environment, place)
    corner = corners[0] + place[:2]
    for diffractions in (0, 1):
        print(f"\n{REFLECTIONS} interactions, of which {diffractions} diffractions\n\n"
              "| | ground tiles reached | processor s | of Tesseray's tiles | mean, dB | deviation, dB |\n"
              "|---|---|---|---|---|---|", flush=True)
        _, seconds = timed(
            figures_of, executable, "predictcoverage", "--environment", environment, "--visibility", visibility,
            "--transmitters", folder / "transmitter.csv", "--transmitters-crs", crs_of(environment),
            "--max-reflections", REFLECTIONS, "--max-diffractions", diffractions, "--max-scatterings", 0,
            "--max-bounces", REFLECTIONS, "--over-rooftop", "none", "--output", folder / "predicted.gpkg", *surfaces())
        ours = path_gains(folder / "predicted.gpkg")
        print(f"| Tesseray, predictcoverage | {len(ours)} | {seconds} | | | |", flush=True)
        for samples in (10**6, 10**7, 10**8):
            for _ in range(2):
                cells, seconds = timed(sionna_map, scene, corners, samples, diffractions > 0)
            theirs = gains_at(cells, corner, places)
            print(f"| Sionna, 10^{round(np.log10(samples))} samples | {len(theirs)} | {seconds} | "
                  f"{difference(theirs, ours)} |", flush=True)


# ---- the conducting wedge

def transition(x):
    """Kouyoumjian and Pathak's transition function (1974, eq. 25)."""
    sine, cosine = scipy.special.fresnel(np.sqrt(2 * x / np.pi))
    return 2j * np.sqrt(x) * np.exp(1j * x) * np.sqrt(np.pi / 2) * ((0.5 - cosine) - 1j * (0.5 - sine))


def soft_coefficient(n, phi, phi_source, distance):
    """Theirs of a conducting wedge of exterior angle nπ, electric field along the edge, incidence at 90°."""
    wavenumber = 2 * np.pi / WAVELENGTH_M

    def term(angle, sign):
        turns = np.round((angle + sign * np.pi) / (2 * np.pi * n))
        argument = wavenumber * distance * 2 * np.cos((2 * np.pi * n * turns - angle) / 2) ** 2
        return transition(argument) / np.tan((np.pi + sign * angle) / (2 * n))

    scale = -np.exp(-0.25j * np.pi) / (2 * n * np.sqrt(2 * np.pi * wavenumber))
    minus, plus = phi - phi_source, phi + phi_source
    return scale * (term(minus, 1) + term(minus, -1) - term(plus, 1) - term(plus, -1))


def compare_wedge():
    """Sionna's example scene holds a wedge whose air lies from 0° to 270° about the vertical edge at the origin."""
    scene = rt.load_scene(rt.scene.simple_wedge, merge_shapes=False)
    use_vertical_antennas(scene)
    permittivity, conductivity = CONDUCTOR
    scene.add(rt.RadioMaterial("conductor", thickness=THICKNESS_M, relative_permittivity=permittivity,
                               conductivity=conductivity))
    for thing in scene.objects.values():
        thing.radio_material = "conductor"
    source_m, target_m = 4.0, 6.0
    spreading = np.sqrt(source_m / (target_m * (source_m + target_m)))
    differences = {True: [], False: []}
    for source_deg, target_deg in itertools.product(range(15, 270, 15), range(8, 270, 15)):
        at_boundary = min(abs(source_deg + target_deg - 180), abs(source_deg + target_deg - 360),
                          abs(abs(source_deg - target_deg) - 180)) < 5
        if at_boundary:
            continue
        source, target = np.radians(source_deg), np.radians(target_deg)
        for device in (*scene.transmitters, *scene.receivers):
            scene.remove(device)
        for device, angle, distance in ((rt.Transmitter, source, source_m), (rt.Receiver, target, target_m)):
            place = [float(distance * np.cos(angle)), float(distance * np.sin(angle)), 0.0]
            scene.add(device(device.__name__, position=place))
        paths = rt.PathSolver()(scene, max_depth=1, los=False, specular_reflection=False, refraction=False,
                                diffraction=True)
        amplitude = np.abs(np.array(paths.a[0]) + 1j * np.array(paths.a[1])).ravel()
        coefficient = soft_coefficient(1.5, target, source, source_m * target_m / (source_m + target_m))
        expected = abs(coefficient) * spreading / source_m * WAVELENGTH_M / (4 * np.pi)
        if amplitude.size == 1:
            differences[90 < source_deg < 180].append(20 * np.log10(amplitude[0] / expected))
    print("| faces that the source lights | rays | median of the difference, dB | greatest, dB |\n|---|---|---|---|")
    for both, values in differences.items():
        print(f"| {'both' if both else 'one'} | {len(values)} | {np.median(np.abs(values)):.2f} | "
              f"{np.max(np.abs(values)):.1f} |")


def main():
    """See the usage above."""
    modes = {"rays": (compare_rays, 5), "scattering": (compare_scattering, 5), "map": (compare_maps, 6),
             "wedge": (compare_wedge, 0)}
    compare, count = modes.get(sys.argv[1] if len(sys.argv) > 1 else None, (None, 0))
    if compare is None or len(sys.argv) != count + 2:
        sys.exit(__doc__)
    print(f"Sionna RT {rt.__version__}, Dr.Jit {drjit.__version__} on {drjit.thread_count()} threads\n")
    compare(*sys.argv[2:])


if __name__ == "__main__":
    main()
