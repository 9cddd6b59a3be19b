/* trial_copy.c: see trial_copy.h. Thread: pure functions. */
#include "trial_copy.h"

#include <stddef.h>
#include <string.h>

/* Where the strings of a trial are. */
static char **string_at(struct db_trial *trial, size_t index)
{
	char **const strings[] = {
		&trial->configuration, &trial->outcome, &trial->message,          &trial->device,
		&trial->problem,       &trial->family,  &trial->variant,          &trial->spec_sha256,
		&trial->source_sha256, &trial->driver,  &trial->platform_version,
	};
	return index < sizeof strings / sizeof strings[0] ? strings[index] : NULL;
}

int trial_copy(struct db_trial *out, const struct db_trial *trial)
{
	struct db_trial copy = *trial;
	bool failed = false;
	for (size_t i = 0; string_at(&copy, i); i++) {
		char **string = string_at(&copy, i);
		const char *original = *string;
		*string = original ? strdup(original) : NULL;
		failed = failed || (original && !*string);
	}
	if (failed) {
		db_trial_finish(&copy);
		return -1;
	}
	*out = copy;
	return 0;
}
