/* acc_reduction.c: OpenACC: a gang takes an element, its vector lanes share the dot product. */
#define ACC_NAME    acc_reduction
#define ACC_SUMMARY "OpenACC: collapse(2) over gangs, reduction over vector lanes"
#define ACC_ROWS    acc parallel loop gang collapse(2)
#define ACC_TERMS   acc loop vector reduction(+ : sum)
#include "directives.h"
