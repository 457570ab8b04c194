#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "LinuxFileCalls.h"

#include <errno.h>

#if defined(__linux__)

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

// By number: Musl has no renameat2 before 1.2.6.
int linux_rename_exchange(int from_directory, const char *from, int to_directory, const char *to) {
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 2 /* RENAME_EXCHANGE */);
}

int linux_rename_no_replace(int from_directory, const char *from, int to_directory, const char *to) {
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 1 /* RENAME_NOREPLACE */);
}

int linux_fallocate_keep_size(int descriptor, off_t offset, off_t length) {
    return fallocate(descriptor, 1 /* FALLOC_FL_KEEP_SIZE */, offset, length);
}

int linux_is_mount_root(int directory, const char *name) {
    struct statx found;
    if (statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &found) != 0) return -1;
    return (found.stx_attributes & 0x2000 /* STATX_ATTR_MOUNT_ROOT, Linux 5.8 */) != 0;
}

int64_t linux_file_system_type(int descriptor) {
    struct statfs found;
    if (fstatfs(descriptor, &found) != 0) return -1;
    return (int64_t)found.f_type & 0xffffffff;
}

int linux_set_lease_signal(int descriptor, int signal) { return fcntl(descriptor, F_SETSIG, signal); }

int linux_take_read_lease(int descriptor) { return fcntl(descriptor, F_SETLEASE, F_RDLCK); }

int linux_drop_lease(int descriptor) { return fcntl(descriptor, F_SETLEASE, F_UNLCK); }

ssize_t linux_flistxattr(int descriptor, char *names, size_t size) { return flistxattr(descriptor, names, size); }

ssize_t linux_fgetxattr(int descriptor, const char *name, void *value, size_t size) {
    return fgetxattr(descriptor, name, value, size);
}

int linux_fsetxattr(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0);
}

#else

static int missing(int code) {
    errno = code;
    return -1;
}

int linux_rename_exchange(int from_directory, const char *from, int to_directory, const char *to) {
    return missing(ENOSYS);
}
int linux_rename_no_replace(int from_directory, const char *from, int to_directory, const char *to) {
    return missing(ENOSYS);
}
int linux_fallocate_keep_size(int descriptor, off_t offset, off_t length) { return missing(ENOTSUP); }
int linux_is_mount_root(int directory, const char *name) { return missing(ENOSYS); }
int64_t linux_file_system_type(int descriptor) { return missing(ENOSYS); }
int linux_set_lease_signal(int descriptor, int signal) { return missing(ENOTSUP); }
int linux_take_read_lease(int descriptor) { return missing(ENOTSUP); }
int linux_drop_lease(int descriptor) { return missing(ENOTSUP); }
ssize_t linux_flistxattr(int descriptor, char *names, size_t size) { return missing(ENOTSUP); }
ssize_t linux_fgetxattr(int descriptor, const char *name, void *value, size_t size) { return missing(ENOTSUP); }
int linux_fsetxattr(int descriptor, const char *name, const void *value, size_t size) { return missing(ENOTSUP); }

#endif
