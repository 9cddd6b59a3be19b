/* waiting.h: how long this process's threads were ready to run and had no core.
 *
 * On a CPU device a timing during which they waited measures the machine's
 * other work: it is taken again (measure.h). Source: the second figure of
 * /proc/self/task/TID/schedstat (Linux, Documentation/scheduler/sched-stats).
 *
 * Pure: no OpenCL. Thread: any. */
#ifndef MMT_WORKER_WAITING_H
#define MMT_WORKER_WAITING_H

/* Summed over the threads that there are, since their start, in nanoseconds; 0 where the system does not tell. */
double worker_waiting_ns(void);

#endif
