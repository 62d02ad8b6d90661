#!/bin/sh
# Stands where projects for MLU-OPS look for the compiler of device code (BANG_CNCC_EXECUTABLE).
echo "cncc: detops runs on CPUs and cannot compile device code (.mlu files)" >&2
exit 1
