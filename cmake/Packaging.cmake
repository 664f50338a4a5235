# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian package with the executable: `make package`, or `cpack` in the build tree.
# Packing needs the executable alone, not the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
install(TARGETS tesseray RUNTIME DESTINATION bin)
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION share/doc/tesseray RENAME copyright)
install(FILES "${CMAKE_SOURCE_DIR}/THIRD_PARTY_NOTICES" "${CMAKE_SOURCE_DIR}/CHANGELOG.md" DESTINATION share/doc/tesseray)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tesseray)
set(CPACK_PACKAGE_CONTACT "The Tesseray developers <tesseray@users.noreply.github.com>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "qgis (>= 3.40)")
include(CPack)
