# T2 to T9 of the specification of measuring: real runs, against the clock. Alone on the machine, as far as CTest can
# see to it; each prints its figures, and one repeat under a fresh seed is allowed and printed: time for both on a noisy
# machine.
foreach(tested IN ITEMS aa effects coverage process_bias neighbour carry_over modes folded)
  regatta_python_test(measuring.${tested} FILE ${tested}_test.py LABELS "measuring;live" TIMEOUT 5400)
  set_tests_properties(measuring.${tested} PROPERTIES RUN_SERIAL ON)
endforeach()

# How bars, seeds and verdicts are counted there; fast.
regatta_python_test(measuring_harness FILE harness_test.py)
