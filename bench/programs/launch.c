/* Runs a command and writes what it cost: "status user-us system-us resident-KB wall-ns", or "error number".
   usage: launch FILE COMMAND [ARGUMENT ...]

   A process starts with its parent's peak of resident memory as its own (Linux keeps the larger of both at exec), so the
   lab would be the floor of what it measures. This parent has next to nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    static volatile int failed;
    long long start = now();
    pid_t pid = vfork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        failed = errno;
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (pid > 0)
        while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {}
    long long end = now();
    FILE *out = fopen(argv[1], "w");
    if (!out) return 3;
    if (pid < 0 || failed)
        fprintf(out, "error %s\n", strerror(pid < 0 ? errno : failed));
    else
        fprintf(out, "%d %lld %lld %ld %lld\n", status, usage.ru_utime.tv_sec * 1000000ll + usage.ru_utime.tv_usec,
                usage.ru_stime.tv_sec * 1000000ll + usage.ru_stime.tv_usec, usage.ru_maxrss, end - start);
    return fclose(out) ? 3 : 0;
}
