// Row E1, E2 in C: one epoll, level-triggered. usage: pipes P MESSAGES [DELAY in us [LIVE]]
// Told that a pipe is writable: a byte is sent. Told that it is readable: read, after the delay one byte at a time.
// LIVE time-outs of an hour are there besides; each message begins the oldest of them anew.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

typedef struct { int64_t at; int fd; } due;

int main(int argc, char **argv) {
  int pipes = atoi(argv[1]);
  long messages = atol(argv[2]), sent = 0, got = 0;
  int64_t delay = argc > 3 ? atol(argv[3]) * 1000ll : 0;
  int live = argc > 4 ? atoi(argv[4]) : 0;
  size_t room = delay ? 1 : 64;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  int ep = epoll_create1(0);
  for (int i = 0; i < pipes; i++) {
    int end[2];
    if (pipe2(end, O_NONBLOCK)) {
      if ((errno != EMFILE && errno != ENFILE) || i == 0) { perror("pipe"); return 1; }
      fprintf(stderr, "pipes: the limit of open files allows %d of %d pipes\n", i, pipes);
      pipes = i;
      break;
    }
    // The key: the descriptor, and whether it is the writing end.
    struct epoll_event r = {EPOLLIN | (delay ? EPOLLONESHOT : 0), {.u64 = end[0]}}, w = {EPOLLOUT, {.u64 = end[1] | 1ll << 32}};
    epoll_ctl(ep, EPOLL_CTL_ADD, end[0], &r);
    epoll_ctl(ep, EPOLL_CTL_ADD, end[1], &w);
  }
  // All delays are equal, so the time-outs are a queue.
  due *queue = malloc(sizeof(due) * (pipes + 1));
  int first = 0, last = 0, writers = pipes;
  // All hours are equal too.
  due *hours = malloc(sizeof(due) * (live + 1));
  int oldest = 0;
  const int64_t hour = 3600 * 1000000000ll;
  for (int i = 0; i < live; i++) hours[i].at = now() + hour;
  static struct epoll_event events[1024];
  char buffer[64];
  int64_t begin = now();
  while (got < messages) {
    int wait = -1;
    if (first != last) {
      int64_t left = queue[first].at - now();
      wait = left <= 0 ? 0 : (left + 999999) / 1000000;
    }
    int n = epoll_wait(ep, events, 1024, wait);
    for (int i = 0; i < n; i++) {
      int fd = (int)(uint32_t)events[i].data.u64;
      if (events[i].data.u64 >> 32) {
        if (sent < messages) {
          if (write(fd, "x", 1) == 1) sent++;
        } else if (writers > 0) {
          epoll_ctl(ep, EPOLL_CTL_DEL, fd, 0);
          writers--;
        }
      } else if (delay) {
        queue[last].at = now() + delay;
        queue[last].fd = fd;
        last = (last + 1) % (pipes + 1);
      } else {
        ssize_t k = read(fd, buffer, room);
        if (k > 0) got += k;
      }
    }
    for (int64_t t = delay ? now() : 0; first != last && queue[first].at <= t; first = (first + 1) % (pipes + 1)) {
      ssize_t k = read(queue[first].fd, buffer, room);
      if (k > 0) got += k;
      if (live) {
        hours[oldest].at = t + hour;
        oldest = (oldest + 1) % live;
      }
      struct epoll_event r = {EPOLLIN | EPOLLONESHOT, {.u64 = queue[first].fd}};
      epoll_ctl(ep, EPOLL_CTL_MOD, queue[first].fd, &r);
    }
  }
  printf("message %.0f\n", (double)(now() - begin) / messages);
}
