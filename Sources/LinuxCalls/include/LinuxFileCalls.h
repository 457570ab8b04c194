// What replacing a file needs. Each gives what the call of that name gives, and leaves `errno`; where the system has no
// such call, -1 and ENOSYS or ENOTSUP.
#ifndef LINUX_FILE_CALLS_H
#define LINUX_FILE_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// renameat2(2) with RENAME_EXCHANGE: the two names change their files in one step.
int linux_rename_exchange(int from_directory, const char *from, int to_directory, const char *to);

/// renameat2(2) with RENAME_NOREPLACE: EEXIST when `to` exists.
int linux_rename_no_replace(int from_directory, const char *from, int to_directory, const char *to);

/// fallocate(2) with FALLOC_FL_KEEP_SIZE: the blocks are reserved, the size stays.
int linux_fallocate_keep_size(int descriptor, off_t offset, off_t length);

/// statx(2): 1 when `name` is the root of a mount, such as a file that is bind-mounted alone, 0 when it is not.
int linux_is_mount_root(int directory, const char *name);

/// fstatfs(2): the magic number of the file system.
int64_t linux_file_system_type(int descriptor);

/// fcntl(2) with F_SETSIG: the signal that tells of a lease that another process wants broken, instead of SIGIO.
int linux_set_lease_signal(int descriptor, int signal);

/// fcntl(2) with F_SETLEASE, F_RDLCK: EAGAIN when somebody has the file open for writing.
int linux_take_read_lease(int descriptor);

/// fcntl(2) with F_SETLEASE, F_UNLCK.
int linux_drop_lease(int descriptor);

/// flistxattr(2), fgetxattr(2) and fsetxattr(2).
ssize_t linux_flistxattr(int descriptor, char *names, size_t size);
ssize_t linux_fgetxattr(int descriptor, const char *name, void *value, size_t size);
int linux_fsetxattr(int descriptor, const char *name, const void *value, size_t size);

#endif
