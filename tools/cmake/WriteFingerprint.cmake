# Writes a header with the hash of LLVM's version and of all sources that can change the code that the compiler generates.
#
#   cmake -DSOURCE_DIR=... -DLLVM_VERSION=... -DOUTPUT=... -P WriteFingerprint.cmake

file(GLOB_RECURSE sources ${SOURCE_DIR}/lib/*.cpp ${SOURCE_DIR}/lib/*.h ${SOURCE_DIR}/include/conv/*.h
     ${SOURCE_DIR}/include/conv/*.td ${SOURCE_DIR}/include/conv/*.def)
list(SORT sources)
set(all "${LLVM_VERSION}")
foreach(source IN LISTS sources)
  file(SHA256 ${source} hash)
  string(APPEND all " ${hash}")
endforeach()
string(SHA256 fingerprint "${all}")
set(text "#define CONV_FINGERPRINT \"${fingerprint}\"\n")
# The header is written only if it changes, so that nothing is recompiled without need.
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
