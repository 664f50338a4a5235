// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/scene/transmitter.h"

namespace tesseray {
namespace {

TEST(TransmitterText, WhatIsWrittenIsReadBack) {
  for (const Polarization p :
       {Polarization::vertical, Polarization::horizontal, Polarization::slant_plus_45, Polarization::slant_minus_45}) {
    EXPECT_EQ(parse_polarization(to_string(p)), p);
  }
  for (const AntennaKind a :
       {AntennaKind::isotropic, AntennaKind::half_wave_dipole, AntennaKind::sector_3gpp, AntennaKind::short_dipole}) {
    EXPECT_EQ(parse_antenna(to_string(a)), a);
  }
  EXPECT_EQ(to_string(Polarization::slant_minus_45), "slant-45");
  EXPECT_EQ(to_string(AntennaKind::sector_3gpp), "sector_3gpp");
}

TEST(TransmitterText, UnderstandsHowPeopleWrite) {
  EXPECT_EQ(parse_polarization("V"), Polarization::vertical);
  EXPECT_EQ(parse_polarization(" Horizontal "), Polarization::horizontal);
  EXPECT_EQ(parse_polarization("-45°"), Polarization::slant_minus_45);
  EXPECT_EQ(parse_polarization("+45 deg"), Polarization::slant_plus_45);
  EXPECT_EQ(parse_polarization("X-pol"), Polarization::slant_plus_45);
  EXPECT_EQ(parse_antenna("Omni"), AntennaKind::isotropic);
  EXPECT_EQ(parse_antenna("half-wave dipole"), AntennaKind::half_wave_dipole);
  EXPECT_EQ(parse_antenna("3GPP sector"), AntennaKind::sector_3gpp);
}

TEST(TransmitterText, RefusesOthers) {
  EXPECT_FALSE(parse_polarization(""));
  EXPECT_FALSE(parse_polarization("diagonal"));
  EXPECT_FALSE(parse_antenna("K80010292.msi"));
}

}  // namespace
}  // namespace tesseray
