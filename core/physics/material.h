// SPDX-License-Identifier: GPL-3.0-or-later
// Electric properties of building materials and ground (docs/physics.md §1; ITU-R P.2040-3).
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "core/base/host_device.h"
#include "core/base/units.h"
#include "core/physics/complex.h"

namespace tesseray {

// Relative permittivity (real part) and conductivity in S/m.
struct ElectricProperties {
  double permittivity = 5.0, conductivity = 0.01;
};

// ε_c = ε_r − jσ/(ωε₀), relative to vacuum. REQUIRES: frequency_hz > 0.
TESSERAY_HD constexpr Complex relative_permittivity(const ElectricProperties& properties, double frequency_hz) {
  return {properties.permittivity, -properties.conductivity / (2.0 * pi * frequency_hz * vacuum_permittivity)};
}

// The Recommendation's power law in the frequency f in GHz: permittivity = a·f^b, conductivity = c·f^d (S/m), for
// frequencies from minimum_ghz to maximum_ghz.
struct MaterialPowerLaw {
  double a = 5, b = 0, c = 0.01, d = 0;
  double minimum_ghz = 0, maximum_ghz = 1e9;
};

// True where the law says nothing about this frequency, so that electric_properties() clamps it.
TESSERAY_HD constexpr bool is_clamped(const MaterialPowerLaw& law, double frequency_hz) {
  return frequency_hz < law.minimum_ghz * 1e9 || frequency_hz > law.maximum_ghz * 1e9;
}

// Outside the range the law is evaluated at the range's edge. relative_permittivity() still takes the true frequency.
TESSERAY_HD inline ElectricProperties electric_properties(const MaterialPowerLaw& law, double frequency_hz) {
  const double ghz = std::fmin(std::fmax(frequency_hz * 1e-9, law.minimum_ghz), law.maximum_ghz);
  return {law.a * std::pow(ghz, law.b), law.c * std::pow(ghz, law.d)};
}

struct ItuMaterial {
  std::string_view name;  // snake_case: "concrete", "medium_dry_ground"
  MaterialPowerLaw law;
};

// The edition whose numbers itu_materials() holds; other editions differ.
inline constexpr std::string_view itu_materials_edition = "ITU-R P.2040-3 (08/2023), Table 3";

std::span<const ItuMaterial> itu_materials();

// The material of that name, or of one of those that OpenStreetMap (building:material) has for it, or nullptr.
const ItuMaterial* find_itu_material(std::string_view name);

}  // namespace tesseray
