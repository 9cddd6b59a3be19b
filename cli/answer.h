/* answer.h: the ways to print what Query replies.
 *
 * Thread: the main thread. */
#ifndef MMT_CLI_ANSWER_H
#define MMT_CLI_ANSWER_H

#include <jansson.h>

#include "mmtune/error.h"

/* A few aligned lines for people. */
int cli_print_answer(const json_t *answer, struct mmt_error *error);

/* Assignments for `eval` in a POSIX shell: every value is quoted, every name
 * is made of letters, digits and '_'. MMTUNE_STEPS tells how many steps there
 * are; a step's variables end in its number (MMTUNE_ENTRY_0), and those of the
 * first step are there without a number too. */
int cli_print_shell(const json_t *answer, struct mmt_error *error);

/* The build options, one line a step. */
int cli_print_build_options(const json_t *answer, struct mmt_error *error);

/* The program text; steps of the same source have it once. */
int cli_print_source(const json_t *answer, struct mmt_error *error);

#endif
