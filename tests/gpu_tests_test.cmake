cmake_minimum_required(VERSION 3.25)
# What gpu_tests.cmake says of logs of ctest. FOLDER is where they are written.
set(folder ${FOLDER}/gpu-tests-of-samples)

# As ctest 3.25 writes them: a test, its output, and how it ended.
set(entries "")
function(entry name output ending)
  string(APPEND entries "1/9 Testing: ${name}\n1/9 Test: ${name}\nCommand: \"/bin/${name}\"\nOutput:\n----------\n"
                        "${output}\n<end of output>\nTest time =   0.01 sec\n----------\n${ending}\n\"${name}\" end time\n\n")
  set(entries "${entries}" PARENT_SCOPE)
endfunction()
macro(expect text)
  file(REMOVE_RECURSE ${folder})
  file(WRITE ${folder}/Testing/Temporary/LastTest.log "Start testing\n${entries}End testing\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -P ${CMAKE_CURRENT_LIST_DIR}/gpu_tests.cmake
                  ERROR_VARIABLE said RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT said STREQUAL "${text}")
    message(SEND_ERROR "of\n${entries}expected:\n${text}\nfound:\n${said}")
  endif()
  if(EXISTS ${folder}/gpu-tests.txt)
    file(READ ${folder}/gpu-tests.txt written)
    if(NOT written STREQUAL said)
      message(SEND_ERROR "written:\n${written}\nsaid:\n${said}")
    endif()
  endif()
  set(entries "")
endmacro()
set(skipped "Test Pass Reason:\nSkip regular expression found in output. Regex=[\\[  SKIPPED \\]]")

entry(unit/A.B "no GPU: of a test that needs none" "Test Passed.")
expect("")

entry(emulated/A.B "" "Test Passed.")
entry(emulated/A.C "" "Test Passed.")
entry(gpu/A.B "x.cc:1: Skipped\nno GPU: the driver of NVIDIA is missing\n[  SKIPPED ] A.B" "${skipped}")
entry(gpu/program "no GPU: none" "Test Passed.") # 77, which ctest calls skipped
expect("GPU: 0 tests ran on a GPU, 2 could not for lack of one; 2 ran on the emulated runtime, which is none\n")

entry(gpu/A.B "" "Test Passed.")
entry(gpu/A.C "" "Test Pass Reason:\nRequired regular expression found. Regex=[x]")
entry(gpu/A.D "too few GPUs that read each other's memory: there are 1" "${skipped}")
entry(gpu/A.E "where memory ends is chosen, which is for the emulated runtime alone" "${skipped}")
entry(emulated/A.E "" "Test Passed.")
expect("GPU: 2 tests ran on a GPU, 0 could not for lack of one, 1 could not for lack of a second one that it reads, 1 are for the emulated runtime alone; 1 ran on the emulated runtime, which is none\n")

# What fails did not run, whatever it says: a plugin that does not load, a GPU that is required, a time that is over, a
# program that is not there, and one in which ctest itself was ended.
entry(gpu/A.B "" "Test Passed.")
entry(gpu/A.C "libgls_cuda.so: undefined symbol" "Test Failed.")
entry(gpu/A.D "no GPU: the driver of NVIDIA is missing" "Test Failed.")
entry(gpu/A.E "" "Test Fail Reason:\nRequired regular expression not found. Regex=[x]")
entry(gpu/A.F "" "Test Passed.")
string(REPLACE "\"/bin/gpu/A.F\"" "\"\"" entries "${entries}")
entry(emulated/A.C "" "Test Failed.")
entry(gpu/A.G "" "")
expect("GPU: 1 tests ran on a GPU, 5 failed, 0 could not for lack of one; 1 ran on the emulated runtime, which is none, and 1 of them failed\n")
