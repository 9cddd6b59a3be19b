/* acc_collapse.c: OpenACC: rows and columns as one loop. */
#define ACC_NAME    acc_collapse
#define ACC_SUMMARY "OpenACC: collapse(2)"
#define ACC_ROWS    acc parallel loop collapse(2)
#include "directives.h"
