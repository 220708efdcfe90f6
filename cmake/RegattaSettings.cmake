# Language level, warnings, sanitizers and output folders shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
# Installed programs find an MPI or HDF5 that lies outside the system's folders, and nothing of the build tree.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(regatta_settings INTERFACE)
target_compile_options(regatta_settings INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion>")
# GCC 12 sees overlaps where a text and a std::string are joined (bug 105651); whether it does depends on what is inlined.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(regatta_settings INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:-Wno-restrict>")
endif()
if(REGATTA_WERROR)
  target_compile_options(regatta_settings INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:-Werror>")
endif()
if(REGATTA_SANITIZE)
  target_compile_options(regatta_settings INTERFACE -fsanitize=${REGATTA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(regatta_settings INTERFACE -fsanitize=${REGATTA_SANITIZE})
endif()
