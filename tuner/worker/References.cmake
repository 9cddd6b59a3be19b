# What the compiler can do for the references, and the options of each.
include(CheckCSourceCompiles)

# A function for several processors needs the loader's help (ifunc), which runs
# before a sanitizer is ready.
if(NOT MMTUNE_SANITIZE)
  check_c_source_compiles("
    __attribute__((target_clones(\"default\", \"arch=haswell\", \"arch=skylake-avx512\")))
    static int twice(int x) { return 2 * x; }
    int main(int argc, char **argv) { (void)argv; return twice(argc); }" WORKER_HAS_CLONES)
  if(WORKER_HAS_CLONES)
    target_compile_definitions(mmt_references PRIVATE WORKER_HAS_CLONES)
  endif()
endif()

# ISO mode forbids a multiplication and an addition to become one instruction.
set(optimised -O3 -ffp-contract=fast)
foreach(file IN LISTS references)
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${optimised}")
endforeach()
set_source_files_properties(references/host_ijk_fast.c PROPERTIES COMPILE_OPTIONS "${optimised};-ffast-math")
set_source_files_properties(references/host_ijk_naive.c PROPERTIES COMPILE_OPTIONS "-O0")

find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
  set_source_files_properties(references/host_ikj_openmp.c PROPERTIES
    COMPILE_OPTIONS "${optimised};${OpenMP_C_FLAGS}")
  target_link_libraries(mmt_references PRIVATE ${OpenMP_C_LIBRARIES})
endif()

set(CMAKE_REQUIRED_FLAGS -fopenacc)
check_c_source_compiles("
  #include <openacc.h>
  int main(void)
  {
    int sum = 0;
  #pragma acc parallel loop reduction(+ : sum)
    for (int i = 0; i < 8; i++)
      sum += i;
    return sum != 28 || acc_get_device_type() == acc_device_none;
  }" WORKER_HAS_OPENACC)
unset(CMAKE_REQUIRED_FLAGS)
if(WORKER_HAS_OPENACC)
  foreach(file IN LISTS references)
    get_filename_component(name ${file} NAME)
    if(name MATCHES "^acc_")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${optimised};-fopenacc")
    endif()
  endforeach()
  target_link_options(mmt_references INTERFACE -fopenacc)
endif()
