/* openblas.h: OpenBLAS at its best, loaded at run time where it is installed.
 *
 * OpenBLAS chooses its kernels by the processor's model: one that is newer than
 * the library gets those for SSE3 (Debian 12's, on Emerald Rapids: a fifth of the
 * rate). Here they are chosen by the instructions that the processor has. On
 * processors with AVX-512 they are those for Skylake-X also where the library
 * knows the model: those for Cooper Lake were slower by a quarter.
 * OPENBLAS_CORETYPE, where set, stands.
 *
 * Thread: the first call before any other thread reads the environment. */
#ifndef MMT_WORKER_OPENBLAS_H
#define MMT_WORKER_OPENBLAS_H

#define OPENBLAS_LIBRARY "libopenblas.so.0"

/* For dlsym, and dlclose at leisure: it stays loaded. NULL: not installed. */
void *openblas_open(void);

/* Whose kernels it uses, as it says itself; valid as long as the library. NULL: it does not say. */
const char *openblas_core(void *library);

#endif
