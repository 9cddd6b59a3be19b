/* waiting.c: see waiting.h. */
#include "waiting.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double waited_by(int tasks, const char *thread)
{
	char path[300], text[128], *figure;
	snprintf(path, sizeof path, "%s/schedstat", thread);
	int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* the thread has ended */
	ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	strtoull(text, &figure, 10); /* the time on a core */
	return (double)strtoull(figure, NULL, 10);
}

double worker_waiting_ns(void)
{
	DIR *tasks = opendir("/proc/self/task");
	double sum = 0;
	if (!tasks)
		return 0;
	for (struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks))
		if (entry->d_name[0] != '.')
			sum += waited_by(dirfd(tasks), entry->d_name);
	closedir(tasks);
	return sum;
}
