/* A disk that fails, or loses its power, under one database file: preloaded into a process that writes to it.

   DISKSHIM_FILE     the file; its log (-wal) and the log's index (-shm) belong to it
   DISKSHIM_ORDERS   a mapped file (struct orders) in which a test says what is to go wrong, while the process runs
   DISKSHIM_SHADOW   a folder with what has really reached the disk: what was written gets there when the file is
                     synchronised, and a file leaves when it is deleted; empty: nothing is kept, and any number of
                     processes and threads may write

   Files are read through the descriptor of the caller: to open and close one of them would drop the caller's locks.
   With a shadow, for processes with one thread that writes. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum call { WRITE = 1, SYNC = 2, TRUNCATE = 4 };
enum file { MAIN = 1, LOG = 2, INDEX = 4, LOG_HEAD = 8 };

struct orders {
    int32_t call, file; /* which calls on which files go wrong; 0 for none */
    int32_t spared;     /* how many of them still go well */
    int32_t error;      /* the errno with which they fail from then on; 0: the process is killed in the middle of it */
    int32_t met;        /* how many went wrong */
};

struct range {
    off64_t from, to;
};

static const struct range nothing = {INT64_MAX, 0};
static struct range unsynced_main = {INT64_MAX, 0}, unsynced_log = {INT64_MAX, 0};
static volatile struct orders *orders;
static const char *file_name, *shadow;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void load(void) {
    const char *path = getenv("DISKSHIM_ORDERS");
    file_name = getenv("DISKSHIM_FILE");
    shadow = getenv("DISKSHIM_SHADOW");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0 || file_name == NULL || shadow == NULL)
        _exit(97); /* a test with a disk that never fails would prove nothing */
    void *mapped = mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        _exit(97);
    orders = mapped;
}

/* Which of the files a path is, or 0. */
static int which(const char *path) {
    if (file_name == NULL || strncmp(path, file_name, strlen(file_name)) != 0)
        return 0;
    const char *suffix = path + strlen(file_name);
    return *suffix == 0 ? MAIN : strcmp(suffix, "-wal") == 0 ? LOG : strcmp(suffix, "-shm") == 0 ? INDEX : 0;
}

static int which_open(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return which(path);
}

static int goes_wrong(enum call call, int file) {
    if (orders == NULL || !(orders->call & call) || !(orders->file & file))
        return 0;
    if (orders->spared > 0) {
        orders->spared--;
        return 0;
    }
    orders->met++;
    return 1;
}

static void note(struct range *range, off64_t from, off64_t to) {
    range->from = from < range->from ? from : range->from;
    range->to = to > range->to ? to : range->to;
}

static int fail(void) {
    if (orders->error == 0)
        kill(getpid(), SIGKILL);
    errno = orders->error;
    return -1;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
    ssize_t (*really)(int, const void *, size_t, off64_t) = next("pwrite64");
    int saved = errno, file = which_open(descriptor);
    errno = saved;
    if (file && goes_wrong(WRITE, file == LOG && offset == 0 ? LOG | LOG_HEAD : file)) {
        if (orders->error == 0)
            really(descriptor, bytes, size / 2, offset); /* torn */
        return fail();
    }
    if (file == MAIN || file == LOG)
        note(file == MAIN ? &unsynced_main : &unsynced_log, offset, offset + (off64_t)size);
    return really(descriptor, bytes, size, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
    return pwrite64(descriptor, bytes, size, offset);
}

/* Brings into the shadow what was written to a file since the last time. */
static void keep(int descriptor, int file) {
    ssize_t (*really)(int, const void *, size_t, off64_t) = next("pwrite64");
    int (*cut)(int, off64_t) = next("ftruncate64");
    struct range *range = file == MAIN ? &unsynced_main : &unsynced_log;
    char path[4096], bytes[1 << 14];
    struct stat now;
    snprintf(path, sizeof path, "%s/%s", shadow, file == MAIN ? "main" : "log");
    int copy = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ssize_t got = 0;
    for (off64_t offset = range->from; offset < range->to; offset += got) {
        got = pread64(descriptor, bytes, sizeof bytes, offset);
        if (got <= 0)
            break;
        if (really(copy, bytes, got, offset) != got)
            _exit(98);
    }
    if (got < 0 || fstat(descriptor, &now) < 0 || cut(copy, now.st_size) < 0 || close(copy) < 0)
        _exit(98);
    *range = nothing;
}

int fdatasync(int descriptor) {
    int (*really)(int) = next("fdatasync");
    int file = which_open(descriptor);
    if (file && goes_wrong(SYNC, file))
        return fail();
    if (*shadow && (file == MAIN || file == LOG))
        keep(descriptor, file);
    return really(descriptor);
}

int fsync(int descriptor) {
    return fdatasync(descriptor);
}

int ftruncate64(int descriptor, off64_t size) {
    int (*really)(int, off64_t) = next("ftruncate64");
    int file = which_open(descriptor);
    return file && goes_wrong(TRUNCATE, file) ? fail() : really(descriptor, size);
}

int ftruncate(int descriptor, off_t size) {
    return ftruncate64(descriptor, size);
}

int unlink(const char *path) {
    int (*really)(const char *) = next("unlink");
    if (*shadow && which(path) == LOG) {
        char whole[4096];
        snprintf(whole, sizeof whole, "%s/log", shadow);
        really(whole);
    }
    return really(path);
}
