# Helpers that every DLC folder uses to declare its libraries and generated files.

# The precompiled header shared by all DLC libraries: parsing the MLIR headers dominates the build
# time, and this pays for it once.
function(dlc_use_precompiled_header target)
  if(NOT DLC_PCH_TARGET STREQUAL target)
    target_precompile_headers(${target} REUSE_FROM DLCPrecompiled)
  endif()
endfunction()

# add_dlc_library(Name sources... [DEPENDS targets...] [LINK_LIBS dlc-libs...] [MLIR_LIBS MLIRFoo...])
# LINK_LIBS are DLC libraries. MLIR_LIBS are names of upstream libraries and all resolve to the one
# shared libMLIR.so.
function(add_dlc_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS;MLIR_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} DLCIncGen ${ARG_DEPENDS})
  dlc_use_precompiled_header(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} LLVM)
  mlir_target_link_libraries(${name} PUBLIC MLIRIR ${ARG_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY DLC_LIBS ${name})
endfunction()

# add_dlc_tool(name sources... LINK_LIBS dlc-libs...)
function(add_dlc_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # -fPIC and not CMake's -fPIE: the precompiled header is built with it.
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin
                        POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  add_dependencies(${name} DLCIncGen)
  dlc_use_precompiled_header(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} LLVM)
  llvm_update_compile_flags(${name})
  mlir_target_link_libraries(${name} PRIVATE MLIROptLib)
endfunction()
