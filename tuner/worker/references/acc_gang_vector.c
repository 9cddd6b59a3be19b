/* acc_gang_vector.c: OpenACC: gangs take rows, vector lanes take columns. */
#define ACC_NAME    acc_gang_vector
#define ACC_SUMMARY "OpenACC: gang over rows, vector over columns"
#define ACC_ROWS    acc parallel loop gang
#define ACC_COLUMNS acc loop vector
#include "directives.h"
