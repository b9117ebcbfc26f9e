# Sets up the compiler, LLVM/MLIR and the precompiled header, and defines the functions that add libraries and tools.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "expects clang-22 as the compiler, but got ${CMAKE_CXX_COMPILER}: use `cmake --preset default`")
endif()

# Debian's Python is preferred, because packages.txt installs the Python modules for it.
find_program(CONV_PYTHON python3 HINTS /usr/bin REQUIRED)

find_program(CONV_CCACHE ccache)
if(CONV_CCACHE)
  # ccache caches compilations with a precompiled header only if it ignores time stamps.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CONV_CCACHE})
endif()

find_package(MLIR ${CONV_LLVM_VERSION} REQUIRED CONFIG HINTS ${CONV_LLVM_ROOT}/lib/cmake/mlir)
if(NOT "${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}" STREQUAL "${CONV_LLVM_VERSION}")
  message(FATAL_ERROR "expects LLVM ${CONV_LLVM_VERSION}, but got ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
set(MLIR_LINK_MLIR_DYLIB ON)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(GNUInstallDirs)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(CONV_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")

add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter)
add_link_options(-fuse-ld=lld -Wl,--as-needed)

# The flags and libraries of every target that sees MLIR. LLVM and MLIR are linked as shared libraries, except into targets with
# CONV_LLVM_INSIDE.
add_library(conv_mlir INTERFACE)
target_include_directories(conv_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(conv_mlir INTERFACE ${CONV_LLVM_DEFINITIONS})
target_compile_options(conv_mlir INTERFACE -fno-exceptions)
target_link_libraries(conv_mlir INTERFACE "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:CONV_LLVM_INSIDE>>>:MLIR;LLVM>")

# MLIR's headers cost seconds in each file; with a precompiled header, a file takes about one second.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/conv_pch.cpp CONTENT "// Compiles the precompiled header once.\n")
add_library(conv_pch STATIC ${CMAKE_BINARY_DIR}/conv_pch.cpp)
target_link_libraries(conv_pch PUBLIC conv_mlir)
target_compile_options(conv_pch PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
target_precompile_headers(conv_pch PRIVATE ${CMAKE_SOURCE_DIR}/tools/cmake/ConvPrecompiled.h)

# conv_add_library(NAME file.cpp ... [LINK target ...])      adds a library without MLIR
# conv_add_mlir_library(NAME file.cpp ... [LINK target ...]) adds a library with MLIR and the precompiled header
function(conv_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(conv_use_mlir name)
  target_link_libraries(${name} PUBLIC conv_mlir)
  # Without -fPIC, executables would get -fPIE, which does not match the precompiled header.
  target_compile_options(${name} PRIVATE -fPIC "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(${name} REUSE_FROM conv_pch)
endfunction()

function(conv_add_mlir_library name)
  conv_add_library(${name} ${ARGN})
  conv_use_mlir(${name})
  add_dependencies(${name} conv_headers)
endfunction()

# conv_put_llvm_inside(NAME) links LLVM and MLIR into a program or a shared library, from their archives; the linker keeps only
# reachable sections.
file(GLOB CONV_LLVM_ARCHIVES CONFIGURE_DEPENDS ${CONV_LLVM_ROOT}/lib/libMLIR*.a ${CONV_LLVM_ROOT}/lib/libLLVM*.a)
function(conv_put_llvm_inside name)
  set_target_properties(${name} PROPERTIES CONV_LLVM_INSIDE ON)
  target_link_libraries(${name} PRIVATE $<TARGET_FILE:conv_linker_parts> ${CONV_LLVM_ARCHIVES} z -l:libzstd.a)
  target_link_options(${name} PRIVATE -Wl,--gc-sections $<$<CONFIG:Release,MinSizeRel>:-Wl,--strip-all>)
  add_dependencies(${name} conv_linker_parts)
endfunction()

# conv_add_tool(NAME file.cpp ... [LINK target ...] [MLIR] [LLVM_INSIDE])  adds a tool that finds LLVM's libraries by its run path, in
# the build folder and where it is installed, or has them inside.
function(conv_add_tool name)
  cmake_parse_arguments(ARG "MLIR;LLVM_INSIDE" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  install(TARGETS ${name} RUNTIME COMPONENT tools)
  if(ARG_LLVM_INSIDE)
    conv_put_llvm_inside(${name})
  else()
    set_target_properties(${name} PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIR} BUILD_WITH_INSTALL_RPATH ON)
  endif()
  if(ARG_MLIR)
    conv_use_mlir(${name})
    add_dependencies(${name} conv_headers)
  endif()
endfunction()
