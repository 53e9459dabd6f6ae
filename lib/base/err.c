/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, and the error that goes with them. */
#include "base/base.h"

#undef mem_err_set
#undef mem_err_sys
#undef mem_err_record

#include <errno.h>
#include <stdio.h>
#include <string.h>

MEM_PRINTF(5, 0) static enum mem_status
fill_error(struct mem_err *err, enum mem_status status, const char *reason, size_t offset,
    const char *fmt, va_list ap)
{
	if (err == NULL)
		return status;
	err->status = status;
	err->reason = reason;
	err->offset = offset;
	/* Through a buffer of its own: an argument may be err->msg itself. */
	char msg[sizeof err->msg];
	vsnprintf(msg, sizeof msg, fmt, ap);
	memcpy(err->msg, msg, sizeof msg);
	return status;
}

enum mem_status
mem_err_set(struct mem_err *err, enum mem_status status, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill_error(err, status, NULL, 0, fmt, ap);
	va_end(ap);
	return status;
}

enum mem_status
mem_err_sys(struct mem_err *err, enum mem_status status, const char *fmt, ...)
{
	int code = errno;
	va_list ap;
	va_start(ap, fmt);
	fill_error(err, status, NULL, 0, fmt, ap);
	va_end(ap);
	if (err != NULL) {
		size_t n = strlen(err->msg);
		bool full = code == ENOSPC || code == EDQUOT;
		snprintf(err->msg + n, sizeof err->msg - n, ": %s",
		    full ? "disk full" : strerror(code));
	}
	errno = code;
	return status;
}

enum mem_status
mem_err_record(struct mem_err *err, const char *reason, size_t offset, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill_error(err, MEM_REFUSED, reason, offset, fmt, ap);
	va_end(ap);
	return MEM_REFUSED;
}

static unsigned
status_weight(enum mem_status st)
{
	switch (st) {
	case MEM_OK: return 0;
	case MEM_USAGE: return 2;
	case MEM_DENIED: return 3;
	case MEM_BUSY: return 4;
	case MEM_DAMAGED: return 5;
	case MEM_FAIL: return 6;
	default: return 1; /* an answer */
	}
}

enum mem_status
mem_status_worse(enum mem_status a, enum mem_status b)
{
	return status_weight(a) >= status_weight(b) ? a : b;
}
