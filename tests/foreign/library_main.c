/* The `main` of library.sml. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library.h"

static void *run(void *arg) {
  long *sum = arg;
  for (int i = 0; i < 100; i++) *sum += sml_next(i);
  return 0;
}

int main(void) {
  const char *words[] = {"library", "one", "two"};
  /* A library that was closed before it was opened could not be opened any more. */
  if (leat_close() != -1) return 3;
  if (leat_open(3, words) != 0) return 1;
  int sum = 0;
  for (int i = 1; i <= 100; i++) sum = sml_add(sum, i);
  printf("sum %d\n", sum);
  pthread_t threads[4];
  long sums[4] = {0};
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, run, &sums[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  for (int i = 1; i < 4; i++)
    if (sums[i] != sums[0]) return 2;
  printf("from threads 4 x %ld\n", sums[0]);
  printf("raised %d\n", sml_fail());
  fflush(stdout);
  /* A fork has nobody who could answer: it waited for ever. */
  pid_t child = fork();
  if (child == 0) _exit(leat_close() == -1 ? sml_add(1, 2) : 4);
  int status = 0;
  waitpid(child, &status, 0);
  printf("the child has ended with %d\n", WEXITSTATUS(status));
  fflush(stdout);
  int closed = leat_close();
  printf("closed %d, %d, %d\n", closed, leat_close(), leat_open(3, words));
  return 0;
}
