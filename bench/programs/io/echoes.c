/* Clients of an echo server on the loopback. Messages of 64 bytes are sent at random times (a Poisson process), each by
   a client that waits for no answer. In C, since the clients' own delays are measured, too: it sleeps in
   `epoll_pwait2`, to the nanosecond.

   usage: echoes CONNECTIONS SECONDS RATE COMMAND ...
   Starts a server by COMMAND, in which PORT is a free port, connects, sends RATE messages a second, and ends the
   server. Prints, for the lab, within how many microseconds half of the answers came, 99 %, 99.9 % and all, and how
   many processors the server had meanwhile. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 64, EVENTS = 256 };

struct client {
    int socket;
    int received; /* bytes of the answer */
    int64_t begin;
};

static pid_t server;

static void fail(const char *what)
{
    perror(what);
    if (server > 0)
        kill(server, SIGKILL);
    exit(1);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* An address of the loopback whose port is free. */
static struct sockaddr_in free_address(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr *any = (struct sockaddr *)&address;
    if (s < 0 || bind(s, any, length) != 0 || getsockname(s, any, &length) != 0)
        fail("a free port");
    close(s);
    return address;
}

static void start(char **command, const char *port)
{
    for (char **word = command; *word != NULL; word++)
        if (strcmp(*word, "PORT") == 0)
            *word = (char *)port;
    server = fork();
    if (server < 0)
        fail("fork");
    if (server == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
}

static int connected(const struct sockaddr_in *address)
{
    for (int tries = 0; tries < 500; tries++) {
        int s = socket(AF_INET, SOCK_STREAM, 0);
        if (s < 0)
            fail("socket");
        if (connect(s, (const struct sockaddr *)address, sizeof *address) == 0) {
            int one = 1;
            setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            return s;
        }
        close(s);
        usleep(10000);
    }
    fail("connect");
    return -1;
}

/* The clients are woken to the nanosecond, and go before what computes (Linux 6.12; older kernels ignore it): what is
   measured is when the server answers, and not when the kernel lets the clients see it. */
static void hurry(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } slice = {.size = sizeof slice, .runtime = 100000};
    prctl(PR_SET_TIMERSLACK, 1);
    syscall(SYS_sched_setattr, 0, &slice, 0);
}

/* Nanoseconds from one message to the next: exponentially distributed. */
static int64_t gap(double rate)
{
    return (int64_t)(-log(drand48() + 1e-12) / rate * 1e9);
}

/* The processor time of the server so far, in nanoseconds. */
static int64_t used(void)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(server, &clock) != 0 || clock_gettime(clock, &t) != 0)
        fail("the server's processor time");
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: echoes CONNECTIONS SECONDS RATE COMMAND ...\n");
        return 2;
    }
    int connections = atoi(argv[1]);
    double seconds = atof(argv[2]), rate = atof(argv[3]);
    struct sockaddr_in address = free_address();
    char port[8];
    snprintf(port, sizeof port, "%d", ntohs(address.sin_port));
    start(argv + 4, port);
    hurry();
    srand48(1);

    struct client *clients = calloc(connections, sizeof *clients);
    int *idle = calloc(connections, sizeof *idle), waiting = connections;
    size_t room = (size_t)(rate * seconds * 2) + 1000, count = 0;
    int64_t *times = calloc(room, sizeof *times);
    int poll = epoll_create1(0);
    if (clients == NULL || idle == NULL || times == NULL || poll < 0)
        fail("memory");
    for (int i = 0; i < connections; i++) {
        clients[i].socket = connected(&address);
        idle[i] = i;
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].socket, &event) != 0)
            fail("epoll_ctl");
    }
    usleep(500000);

    char bytes[SIZE] = {0};
    int64_t begin = now(), end = begin + (int64_t)(seconds * 1e9), next = begin + gap(rate), before = used();
    /* Sends until the end, and then waits for what is on its way. */
    while (now() < end || waiting < connections) {
        int64_t left = next - now();
        if (left <= 0 && waiting > 0 && next < end) {
            int k = lrand48() % waiting, i = idle[k];
            idle[k] = idle[--waiting];
            clients[i].received = 0;
            clients[i].begin = now();
            if (send(clients[i].socket, bytes, SIZE, MSG_NOSIGNAL) != SIZE)
                fail("send");
            next += gap(rate);
            continue;
        }
        if (left <= 0)
            left = 1000000;
        struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        struct epoll_event events[EVENTS];
        int n = epoll_pwait2(poll, events, EVENTS, &wait, NULL);
        if (n < 0 && errno != EINTR)
            fail("epoll_pwait2");
        for (int k = 0; k < n; k++) {
            struct client *client = &clients[events[k].data.u32];
            ssize_t got = recv(client->socket, bytes, SIZE, MSG_DONTWAIT);
            if (got <= 0)
                fail("the server has closed a connection");
            client->received += (int)got;
            if (client->received == SIZE && count < room) {
                times[count++] = now() - client->begin;
                idle[waiting++] = (int)events[k].data.u32;
            }
        }
    }
    double processors = (double)(used() - before) / (double)(now() - begin);
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
    if (count == 0) {
        fprintf(stderr, "echoes: no answer\n");
        return 1;
    }
    qsort(times, count, sizeof *times, by_size);
    printf("half-within-us %.0f\n", times[count / 2] / 1e3);
    printf("99%%-within-us %.0f\n", times[(count - 1) * 99 / 100] / 1e3);
    printf("99.9%%-within-us %.0f\n", times[(count - 1) * 999 / 1000] / 1e3);
    printf("all-within-us %.0f\nprocessors %.2f\n", times[count - 1] / 1e3, processors);
    return 0;
}
