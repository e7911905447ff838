# The toolchain of the self-contained binary (presets static-amd64 and static-arm64; build.sh runs them).
#
#   STATIC_TRIPLET     for whom: x86_64-linux-gnu or aarch64-linux-gnu
#   STATIC_LIBRARIES   the folder that libraries.sh has filled
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES STATIC_TRIPLET STATIC_LIBRARIES)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${STATIC_TRIPLET})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${STATIC_TRIPLET}-g++)

# Libraries come from that folder alone, as archives.
set(CMAKE_LIBRARY_ARCHITECTURE ${STATIC_TRIPLET})
set(CMAKE_FIND_ROOT_PATH ${STATIC_LIBRARIES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(Boost_USE_STATIC_LIBS ON)
set(ENV{PKG_CONFIG_LIBDIR} ${STATIC_LIBRARIES}/usr/lib/${STATIC_TRIPLET}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${STATIC_LIBRARIES})

# Byte for byte the same wherever it is built: no path of the source, and no build id.
get_filename_component(_root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
string(JOIN " " CMAKE_CXX_FLAGS_INIT
  -isystem ${STATIC_LIBRARIES}/usr/include -isystem ${STATIC_LIBRARIES}/usr/include/${STATIC_TRIPLET}
  -fPIE -ffunction-sections -fdata-sections -fstack-protector-strong -D_FORTIFY_SOURCE=2
  -ffile-prefix-map=${_root}=. -ffile-prefix-map=${STATIC_LIBRARIES}=libraries)
string(JOIN " " CMAKE_EXE_LINKER_FLAGS_INIT
  -static-pie -s -Wl,--gc-sections -Wl,--build-id=none -Wl,-z,relro -Wl,-z,now)
# Its addresses as a bitmap, which is half a megabyte less; Debian's linker has it for no other processor.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-z,pack-relative-relocs")
endif()
