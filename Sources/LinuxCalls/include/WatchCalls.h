// Calls the file watcher needs and Swift's Glibc module does not offer.
#ifndef WATCH_CALLS_H
#define WATCH_CALLS_H

#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/vfs.h>

static inline int linux_eventfd(unsigned int initial, int flags) { return eventfd(initial, flags); }
static inline int linux_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }
static inline int linux_statfs(const char *path, struct statfs *status) { return statfs(path, status); }
#endif

#endif
