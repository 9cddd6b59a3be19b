/* openblas.c: see openblas.h. */
#include "openblas.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

/* The core type with the widest vectors that this processor has; NULL: the library's choice. */
static const char *best_core(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return "SkylakeX";
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
#endif
	return NULL;
}

void *openblas_open(void)
{
	const char *core = best_core();

	if (core != NULL)
		setenv("OPENBLAS_CORETYPE", core, 0);
	/* Its threads spin for 2^26 cycles by default before they sleep, and would take the cores from what is measured
	 * after them. Both variables are read when the library is loaded. */
	setenv("OPENBLAS_THREAD_TIMEOUT", "4", 1);
	return dlopen(OPENBLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

const char *openblas_core(void *library)
{
	typedef char *core_fn(void);
	core_fn *core = (core_fn *)dlsym(library, "openblas_get_corename");

	return core != NULL ? core() : NULL;
}
