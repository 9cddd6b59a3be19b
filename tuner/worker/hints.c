/* hints.c: see hints.h. */
#include "hints.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define VENDOR_FOLDER "/etc/OpenCL/vendors" /* cl_khr_icd, "Vendor ICD enumeration on Linux" */
#define ICD_SUFFIX    ".icd"

void worker_hints_finish(struct worker_hints *hints)
{
	for (size_t i = 0; i < hints->n; i++)
		free(hints->sentences[i]);
	free(hints->sentences);
	memset(hints, 0, sizeof *hints);
}

const char *const *worker_hints_list(const struct worker_hints *hints)
{
	static const char *const empty[] = {NULL};

	return hints->n > 0 ? (const char *const *)hints->sentences : empty;
}

void worker_hints_add(struct worker_hints *hints, const char *format, ...)
{
	char **sentences = realloc(hints->sentences, (hints->n + 2) * sizeof *sentences);
	char *raw = NULL;
	va_list arguments;
	int length;

	if (sentences == NULL) {
		hints->failed = true;
		return;
	}
	hints->sentences = sentences;
	va_start(arguments, format);
	length = vasprintf(&raw, format, arguments);
	va_end(arguments);
	if (length < 0) {
		hints->failed = true;
		return;
	}
	/* Paths and drivers' words need not be UTF-8; escaped, a byte becomes four */
	sentences[hints->n] = malloc(4 * (size_t)length + 1);
	if (sentences[hints->n] == NULL) {
		hints->failed = true;
	} else {
		kern_text_sanitise(sentences[hints->n], 4 * (size_t)length + 1, raw, (size_t)length);
		hints->n++;
	}
	sentences[hints->n] = NULL;
	free(raw);
}

static bool is_icd(const char *name)
{
	size_t length = strlen(name);

	return length > strlen(ICD_SUFFIX) && strcmp(name + length - strlen(ICD_SUFFIX), ICD_SUFFIX) == 0;
}

/* The first line of an .icd file is the library, by name or by path. */
static void check_icd(struct worker_hints *hints, const char *path)
{
	char line[PATH_MAX] = "";
	FILE *file = fopen(path, "re");

	if (file == NULL) {
		worker_hints_add(hints, "%s cannot be read: %s", path, strerror(errno));
		return;
	}
	if (fgets(line, sizeof line, file) == NULL)
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\r\n")] = '\0';
	if (line[0] == '\0') {
		worker_hints_add(hints, "%s names no library", path);
		return;
	}
	/* Never closed again: drivers are not made to be unloaded, and this process soon ends */
	if (dlopen(line, RTLD_LAZY | RTLD_LOCAL) == NULL)
		worker_hints_add(hints, "%s names the driver '%s', which cannot be loaded: %s", path, line, dlerror());
}

static void check_folder(struct worker_hints *hints, const char *folder, const char *where)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	size_t n = 0;

	if (directory == NULL) {
		worker_hints_add(hints, "the folder of OpenCL drivers %s%s cannot be read: %s", folder, where,
				 strerror(errno));
		return;
	}
	while ((entry = readdir(directory)) != NULL) {
		char path[PATH_MAX];

		if (!is_icd(entry->d_name))
			continue;
		n++;
		if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
			check_icd(hints, path);
	}
	closedir(directory);
	if (n == 0)
		worker_hints_add(hints, "the folder of OpenCL drivers %s%s holds no .icd file: no driver is installed",
				 folder, where);
}

void worker_hints_loader(struct worker_hints *hints)
{
	const char *chosen = getenv("OCL_ICD_VENDORS");

	if (chosen == NULL || chosen[0] == '\0')
		check_folder(hints, VENDOR_FOLDER, "");
	else if (is_icd(chosen))
		check_icd(hints, chosen);
	else
		check_folder(hints, chosen, " (from OCL_ICD_VENDORS)");
}
