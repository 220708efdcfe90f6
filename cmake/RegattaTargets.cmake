include(GNUInstallDirs)

# regatta_together(<target>)
# Compiles the sources of a library or of a test program up to eight at a time: most of a unit's time goes to headers and
# templates that its neighbours need too. Sources with compile options of their own stay alone.
function(regatta_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${REGATTA_TOGETHER} UNITY_BUILD_MODE GROUP)
  set_property(GLOBAL APPEND PROPERTY REGATTA_TOGETHER_TARGETS ${target})
endfunction()

# regatta_group_sources()
# Tells which sources of these targets are compiled together (together.py): never two of which one would read another's
# names. Groups are those of the last configuration. To be called when all targets are there.
function(regatta_group_sources)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_property(targets GLOBAL PROPERTY REGATTA_TOGETHER_TARGETS)
  set(listed "")
  foreach(target IN LISTS targets)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    foreach(source IN LISTS sources)
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
      string(APPEND listed "${target}\t${source}\n")
    endforeach()
  endforeach()
  set(script "${PROJECT_SOURCE_DIR}/cmake/together.py")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}")
  file(WRITE "${PROJECT_BINARY_DIR}/together/sources.txt" "${listed}")
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND "${Python3_EXECUTABLE}" -B "${script}"
    "${PROJECT_BINARY_DIR}/together/sources.txt" "${PROJECT_BINARY_DIR}/together/groups.txt")
  file(STRINGS "${PROJECT_BINARY_DIR}/together/groups.txt" lines)
  foreach(line IN LISTS lines)
    string(REPLACE "\t" ";" parts "${line}")
    list(GET parts 0 target)
    list(GET parts 1 source)
    list(GET parts 2 group)
    set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# regatta_build_quickly(<target> <level>)
# Optimises less what no time is spent in: two thirds of a unit's build is optimising and generating code.
function(regatta_build_quickly target level)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${level}>")
endfunction()

# regatta_library(<folder> SOURCES ... USES <folders> THIRD_PARTY <targets>)
# One static library per folder of src/. USES lists the folders it may include; the architecture
# test compares them with docs/architecture.md. Third-party code never reaches a public header.
function(regatta_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;THIRD_PARTY" ${ARGN})
  add_library(regatta_${folder} STATIC ${ARG_SOURCES})
  target_include_directories(regatta_${folder} PUBLIC "${PROJECT_SOURCE_DIR}/include" PRIVATE "${PROJECT_SOURCE_DIR}/src")
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(regatta_${folder} PUBLIC regatta_${used})
  endforeach()
  target_link_libraries(regatta_${folder} PRIVATE regatta_settings ${ARG_THIRD_PARTY})
  regatta_together(regatta_${folder})
endfunction()

# regatta_plugin(<name> SOURCES ... USES <folders> MAP <file>)
# A backend of the engine in a shared object of its own, libregatta_<name>.so, which shows one function, or what the
# map tells.
function(regatta_plugin name)
  cmake_parse_arguments(ARG "" "MAP" "SOURCES;USES" ${ARGN})
  add_library(regatta_plugin_${name} MODULE ${ARG_SOURCES})
  set_target_properties(regatta_plugin_${name} PROPERTIES OUTPUT_NAME regatta_${name})
  target_include_directories(regatta_plugin_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  set(map "${PROJECT_SOURCE_DIR}/src/engine/plugin/plugin.map")
  if(ARG_MAP)
    set(map "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_MAP}")
  endif()
  target_link_options(regatta_plugin_${name} PRIVATE "-Wl,--version-script=${map}")
  set_target_properties(regatta_plugin_${name} PROPERTIES LINK_DEPENDS "${map}")
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(regatta_plugin_${name} PRIVATE regatta_${used})
  endforeach()
  target_link_libraries(regatta_plugin_${name} PRIVATE regatta_settings)
endfunction()

# regatta_test(<folder> [COMPUTES] SOURCES ... USES <folders> THIRD_PARTY <targets> LABELS <labels>)
# One GoogleTest program per tests/<folder>; every TEST becomes one CTest case. COMPUTES: the tests' own code is optimised,
# which takes twice as long to build.
function(regatta_test folder)
  cmake_parse_arguments(ARG "COMPUTES" "" "SOURCES;USES;THIRD_PARTY;LABELS" ${ARGN})
  add_executable(test_${folder} ${ARG_SOURCES})
  target_include_directories(test_${folder} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(test_${folder} PRIVATE regatta_${used})
  endforeach()
  target_link_libraries(test_${folder} PRIVATE regatta_settings regatta_test_places GTest::gtest_main GTest::gmock ${ARG_THIRD_PARTY})
  regatta_together(test_${folder})
  if(NOT ARG_COMPUTES AND NOT REGATTA_SANITIZE)
    regatta_build_quickly(test_${folder} -O0)
  endif()
  set(properties TIMEOUT 300)
  if(ARG_LABELS) # an empty value would shift the rest of the list
    list(APPEND properties LABELS "${ARG_LABELS}")
  endif()
  gtest_discover_tests(test_${folder} DISCOVERY_MODE PRE_TEST PROPERTIES ${properties})
endfunction()

# regatta_python_test(<name> FILE <file.py> ARGUMENTS ... LABELS <labels> TIMEOUT <seconds>)
# One CTest case that runs a Python program; it knows the build folder as REGATTA_BINARY_DIR.
function(regatta_python_test name)
  cmake_parse_arguments(ARG "" "FILE;TIMEOUT" "ARGUMENTS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B "${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FILE}" ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "REGATTA_BINARY_DIR=${CMAKE_BINARY_DIR};PYTHONPATH=${PROJECT_SOURCE_DIR}")
endfunction()

# Bugs that mutants.py of a folder plants in shipped files, one program each: built and hunted on demand, by a test of the label mutants.
function(regatta_mutants folder)
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/mutants.py")
  set(python "${CMAKE_COMMAND}" -E env "PYTHONPATH=${PROJECT_SOURCE_DIR}" "${Python3_EXECUTABLE}" -B)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${script}")
  execute_process(COMMAND ${python} "${script}" names OUTPUT_VARIABLE mutants OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  get_target_property(libraries test_${folder} LINK_LIBRARIES)
  add_custom_target(${folder}_mutants DEPENDS test_${folder})
  foreach(mutant IN LISTS mutants)
    string(REPLACE "=" ";" mutant "${mutant}")
    list(GET mutant 0 name)
    list(GET mutant 1 file)
    set(planted "${CMAKE_CURRENT_BINARY_DIR}/${name}/${file}")
    add_custom_command(OUTPUT "${planted}" DEPENDS "${script}" "${PROJECT_SOURCE_DIR}/${file}"
      COMMAND ${python} "${script}" plant ${name} "${PROJECT_SOURCE_DIR}" "${planted}")
    # A planted source is linked in front of the library that holds the shipped one. Where the shipped one lies in one
    # object with its neighbours, the first definition counts: position-independent code calls through symbols.
    add_executable(mutant_${folder}_${name} EXCLUDE_FROM_ALL "${planted}" $<TARGET_OBJECTS:test_${folder}>)
    target_include_directories(mutant_${folder}_${name} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")
    target_compile_options(mutant_${folder}_${name} PRIVATE -w) # a bug may leave things unused
    target_link_options(mutant_${folder}_${name} PRIVATE -Wl,--allow-multiple-definition)
    target_link_libraries(mutant_${folder}_${name} PRIVATE ${libraries})
    add_dependencies(${folder}_mutants mutant_${folder}_${name})
  endforeach()
  regatta_python_test(${folder}.places_of_mutants FILE mutants.py ARGUMENTS places "${PROJECT_SOURCE_DIR}" LABELS architecture)
  regatta_python_test(${folder}.mutants FILE mutants.py ARGUMENTS find "${CMAKE_BINARY_DIR}" LABELS mutants TIMEOUT 1200)
endfunction()
