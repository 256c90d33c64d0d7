# tests/tests.mk - unit, golden and end-to-end tests; a new file in its folder is picked up
#
# tests/unit/test_X.c   cmocka program, linked with the tool's objects; tests/unit/shim_X.c: with the shim's objects
# tests/e2e/X.sh        shell test: exit 0 pass, 77 skip (last line says why), else fail; gets $GPUTAP_BUILD
# tests/e2e/X.c         program used by the shell tests, linked with -lOpenCL, built as $(O)/tests/e2e/X
# tests/run             runs them all and prints the counts
