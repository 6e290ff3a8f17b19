/* Runs a command beside a process that computes for as long as it lasts, and ends as the command ends.
   usage: beside COMMAND [ARGUMENT ..] */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: beside COMMAND [ARGUMENT ..]\n");
        return 2;
    }
    pid_t parent = getpid(), busy = fork();
    if (busy < 0) {
        perror("beside: fork");
        return 1;
    }
    if (busy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            return 0;
        for (volatile unsigned long i = 0;; i++)
            ;
    }
    pid_t command = fork();
    if (command < 0) {
        perror("beside: fork");
        kill(busy, SIGKILL);
        return 1;
    }
    if (command == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(127);
    }
    int status = 0;
    waitpid(command, &status, 0);
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
