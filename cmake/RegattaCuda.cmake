# nvcc as a compiler of this project: C++20, warnings are errors, and so is a kernel that keeps values in local memory.
find_program(CMAKE_CUDA_COMPILER nvcc PATHS /usr/local/cuda/bin)
if(CCACHE_PROGRAM)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90") # for newer ones the driver compiles what stands there for 9.0
endif()
enable_language(CUDA)
if(CMAKE_VERSION VERSION_LESS 3.26) # does not know the option
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
find_package(CUDAToolkit 13 REQUIRED)

add_library(regatta_cuda_settings INTERFACE)
target_compile_options(regatta_cuda_settings INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xptxas -Werror,-warn-spills,-warn-lmem-usage>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
if(REGATTA_WERROR)
  target_compile_options(regatta_cuda_settings INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
endif()
