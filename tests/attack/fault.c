/* Faults on demand: counts what a process does to files below a folder, and at the k-th call
   kills the process or fails. Loaded with LD_PRELOAD; steered by fault_arm, or by the variables
   FAULT_FOLDER, FAULT_AT, FAULT_HOW (0 count only, -1 kill, -2 write half and kill, else an errno),
   FAULT_LOCKS (1: count locks, not writes), FAULT_STAYS (1: every later call fails as well),
   FAULT_COUNT (a file that gets the number of calls when the process ends).
   The state lies in shared memory: what a forked child did can be read after its death. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define LINES 4096
#define WIDTH 96
enum { COUNT_ONLY = 0, KILL = -1, TEAR = -2 };

static struct {
    long count, at;
    int how, locks, stays;
    char folder[PATH_MAX];
    char line[LINES][WIDTH];
} *state;

void fault_arm(const char *folder, long at, int how, int locks, int stays) {
    state->count = 0;
    state->at = at;
    state->how = how;
    state->locks = locks;
    state->stays = stays;
    snprintf(state->folder, sizeof state->folder, "%s", folder);
}
long fault_count(void) { return state->count; }
const char *fault_line(long k) { return k > 0 && k <= LINES ? state->line[k - 1] : ""; }

static long number(const char *name) { return getenv(name) ? atol(getenv(name)) : 0; }

__attribute__((constructor)) static void begin(void) {
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const char *folder = getenv("FAULT_FOLDER");
    fault_arm(folder ? folder : "", number("FAULT_AT"), (int)number("FAULT_HOW"),
              (int)number("FAULT_LOCKS"), (int)number("FAULT_STAYS"));
}

__attribute__((destructor)) static void end(void) {
    const char *name = getenv("FAULT_COUNT");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", state->count);
    fclose(file);
}

static int below(const char *path) {
    size_t n = strlen(state->folder);
    return n && !strncmp(path, state->folder, n) && (path[n] == '/' || !path[n]);
}

static const char *of_name(int at, const char *path, char *whole) {
    char base[PATH_MAX], link[64];
    ssize_t n;
    if (path[0] == '/') {
        snprintf(whole, PATH_MAX, "%s", path);
        return whole;
    }
    snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
    n = readlink(link, base, sizeof base - 1);
    base[n < 0 ? 0 : n] = 0;
    snprintf(whole, PATH_MAX, "%.2000s/%.2000s", base, path);
    return whole;
}

static const char *of_handle(int handle, char *whole) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t n = readlink(link, whole, PATH_MAX - 1);
    whole[n < 0 ? 0 : n] = 0;
    return whole;
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* What to do at this call: 0 go on, TEAR for a write, or the errno to fail with; KILL does not
   come back. */
static int verdict(const char *what, const char *path, int is_lock, int is_write) {
    if (!state || !below(path) || is_lock != state->locks) return 0;
    long k = __sync_add_and_fetch(&state->count, 1);
    if (k <= LINES)
        snprintf(state->line[k - 1], WIDTH, "%s %s", what, path + strlen(state->folder));
    if (!state->at || !state->how) return 0;
    int frees = !strncmp(what, "unlink", 6) || !strcmp(what, "rmdir");  /* works on a full disk */
    if (k != state->at && !(state->stays && k > state->at && state->how > 0 && !frees)) return 0;
    if (state->how == TEAR && is_write) return TEAR;
    if (state->how < 0) die();
    return state->how;
}

#define REAL(name) static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL(code) do { errno = (code); return -1; } while (0)

#define ON_HANDLE(type, name, handle, parameters, arguments) \
    type name parameters { \
        REAL(name); \
        char path[PATH_MAX]; \
        int code = verdict(#name, of_handle(handle, path), 0, 0); \
        if (code) FAIL(code); \
        return real arguments; \
    }
#define ON_NAME(name, at, path, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        char whole[PATH_MAX]; \
        int code = verdict(#name, of_name(at, path, whole), 0, 0); \
        if (code) FAIL(code); \
        return real arguments; \
    }
#define ON_WRITE(name, parameters, arguments, half) \
    ssize_t name parameters { \
        REAL(name); \
        char path[PATH_MAX]; \
        int code = verdict(#name, of_handle(fd, path), 0, 1); \
        if (code == TEAR) { \
            n /= 2; \
            half; \
            die(); \
        } \
        if (code) FAIL(code); \
        return real arguments; \
    }

ON_WRITE(write, (int fd, const void *from, size_t n), (fd, from, n), (void)!real(fd, from, n))
ON_WRITE(pwrite, (int fd, const void *from, size_t n, off_t o), (fd, from, n, o),
         (void)!real(fd, from, n, o))
ON_WRITE(pwrite64, (int fd, const void *from, size_t n, off64_t o), (fd, from, n, o),
         (void)!real(fd, from, n, o))
ON_HANDLE(ssize_t, writev, fd, (int fd, const struct iovec *v, int n), (fd, v, n))
ON_HANDLE(int, fsync, fd, (int fd), (fd))
ON_HANDLE(int, fdatasync, fd, (int fd), (fd))
ON_HANDLE(int, ftruncate, fd, (int fd, off_t n), (fd, n))
ON_HANDLE(int, ftruncate64, fd, (int fd, off64_t n), (fd, n))
ON_HANDLE(int, fchmod, fd, (int fd, mode_t mode), (fd, mode))
ssize_t sendfile64(int to, int from, off64_t *offset, size_t n);
ON_HANDLE(ssize_t, sendfile64, to, (int to, int from, off64_t *o, size_t n), (to, from, o, n))
ON_HANDLE(ssize_t, copy_file_range, to,
          (int from, off64_t *a, int to, off64_t *b, size_t n, unsigned f), (from, a, to, b, n, f))
ON_NAME(rename, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_NAME(renameat, b, to, (int a, const char *from, int b, const char *to), (a, from, b, to))
ON_NAME(renameat2, b, to, (int a, const char *from, int b, const char *to, unsigned f),
        (a, from, b, to, f))
ON_NAME(link, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_NAME(linkat, b, to, (int a, const char *from, int b, const char *to, int f),
        (a, from, b, to, f))
ON_NAME(unlink, AT_FDCWD, path, (const char *path), (path))
ON_NAME(unlinkat, a, path, (int a, const char *path, int f), (a, path, f))
ON_NAME(rmdir, AT_FDCWD, path, (const char *path), (path))
ON_NAME(mkdir, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_NAME(mkdirat, a, path, (int a, const char *path, mode_t mode), (a, path, mode))
ON_NAME(chmod, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_NAME(truncate, AT_FDCWD, path, (const char *path, off_t n), (path, n))
ON_NAME(truncate64, AT_FDCWD, path, (const char *path, off64_t n), (path, n))

#define OPENS(name, at, parameters, arguments) \
    int name parameters { \
        REAL(name); \
        mode_t mode = 0; \
        char whole[PATH_MAX]; \
        if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, mode_t); \
            va_end(rest); \
            int code = verdict(#name, of_name(at, path, whole), 0, 0); \
            if (code) FAIL(code); \
        } \
        return real arguments; \
    }
OPENS(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, at, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENS(openat64, at, (int at, const char *path, int flags, ...), (at, path, flags, mode))

static int takes_lock(int command, void *argument) {
    int sets = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
               command == F_OFD_SETLKW;
    return sets && ((struct flock *)argument)->l_type != F_UNLCK;
}

#define LOCKS(name) \
    int name(int fd, int command, ...) { \
        REAL(name); \
        va_list rest; \
        va_start(rest, command); \
        void *argument = va_arg(rest, void *); \
        va_end(rest); \
        char path[PATH_MAX]; \
        if (takes_lock(command, argument)) { \
            int code = verdict(#name, of_handle(fd, path), 1, 0); \
            if (code) FAIL(code); \
        } \
        return real(fd, command, argument); \
    }
LOCKS(fcntl)
LOCKS(fcntl64)

int flock(int fd, int how) {
    REAL(flock);
    char path[PATH_MAX];
    int code = how & LOCK_UN ? 0 : verdict("flock", of_handle(fd, path), 1, 0);
    if (code) FAIL(code);
    return real(fd, how);
}
