/* acc_tile.c: OpenACC: squares of C. */
#define ACC_NAME    acc_tile
#define ACC_SUMMARY "OpenACC: tile(16, 16)"
#define ACC_ROWS    acc parallel loop tile(16, 16)
#include "directives.h"
