/* mmtune/error.h: the one table of errors, and the record that carries one.
 *
 * Every failure in mmtune has a code from this table. The table gives the
 * code its name on the wire (org.mmtune.Tuner.NAME), the exit status of the
 * command-line programs, and a text for when there is nothing better to say.
 * Functions that can fail return 0, or -1 and fill a struct mmt_error.
 *
 * Thread: no state; every function may be called from any thread. */
#ifndef MMTUNE_ERROR_H
#define MMTUNE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(code, wire name, exit status, text) */
#define MMT_ERROR_TABLE(X)                                                             \
	X(FAILED, "Failed", 1, "the operation failed")                                 \
	X(NO_MEMORY, "OutOfMemory", 1, "out of memory")                                \
	X(SYSTEM, "System", 1, "a system call failed")                                 \
	X(OPENCL, "OpenCL", 1, "an OpenCL call failed")                                \
	X(DATABASE, "Database", 1, "the database failed")                              \
	X(READ_ONLY, "ReadOnly", 1, "the state directory cannot be written")           \
	X(PROTOCOL, "Protocol", 1, "the peer broke the protocol")                      \
	X(PERMISSION, "PermissionDenied", 1, "permission denied")                      \
	X(BUSY, "Busy", 1, "busy; try again later")                                    \
	X(CANCELLED, "Cancelled", 1, "cancelled")                                      \
	X(NO_VALID_CONFIGURATION, "NoValidConfiguration", 1, "no valid configuration") \
	X(INVALID_ARGUMENT, "InvalidArgument", 2, "invalid argument")                  \
	X(UNREACHABLE, "Unreachable", 3, "the service cannot be reached")              \
	X(NO_SUCH_DEVICE, "NoSuchDevice", 4, "no such device")                         \
	X(NO_SUCH_JOB, "NoSuchJob", 4, "no such job")                                  \
	X(NO_ANSWER, "NoAnswer", 4, "no answer")                                       \
	X(NOT_SUPPORTED, "NotSupported", 4, "the device does not support it")          \
	X(TOO_LARGE, "TooLarge", 4, "it does not fit the device")                      \
	X(SKIPPED, "Skipped", 4, "the device cannot run this configuration")           \
	X(WRONG_RESULT, "WrongResult", 5, "verification failed")                       \
	X(TIMED_OUT, "TimedOut", 6, "timed out")

enum mmt_code {
	MMT_OK = 0,
#define MMT_CODE(code, wire, status, text) MMT_##code,
	MMT_ERROR_TABLE(MMT_CODE)
#undef MMT_CODE
		MMT_CODE_COUNT
};

#define MMT_MESSAGE_BYTES 512

struct mmt_error {
	enum mmt_code code;
	int foreign;                     /* errno, cl_int or SQLite's code; 0: none */
	char message[MMT_MESSAGE_BYTES]; /* one sentence, no final full stop */
};

/* Fills *error (which may be NULL) and returns -1, so that a caller can write
 * `return mmt_error_set(...)`. A message too long for the record is cut. */
int mmt_error_set(struct mmt_error *error, enum mmt_code code, int foreign, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* As mmt_error_set with code MMT_SYSTEM, foreign errno, and strerror(errno)
 * appended to the message. */
int mmt_error_errno(struct mmt_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name on the wire without the interface ("NoSuchDevice"), the exit
 * status, and the default text of a code. Static strings. */
const char *mmt_code_wire_name(enum mmt_code code);
int mmt_code_exit_status(enum mmt_code code);
const char *mmt_code_text(enum mmt_code code);

/* The code of a wire name, with or without the interface's prefix;
 * MMT_FAILED for a name that this version does not know. */
enum mmt_code mmt_code_from_wire_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
