/* Coroutines of x86-64 in a dozen instructions: what the floors of C1 and A8 are made of. A suspended one is its stack pointer;
   at it stand the address where it goes on and the frame pointer. */

/* Suspends the running coroutine into *save and goes on with the other. Everything but the stack pointer is lost on the way, and
   the compiler is told so; the caller leaves no red zone (-mno-red-zone). */
static inline __attribute__((always_inline)) void coroutine_switch(void **save, void *to)
{
    __asm__ volatile("pushq %%rbp\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "movq %%rsp, (%0)\n\t"
                     "movq %1, %%rsp\n\t"
                     "popq %%rax\n\t"
                     "jmpq *%%rax\n"
                     "1:\tpopq %%rbp"
                     : "+D"(save), "+S"(to)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15");
}

/* The same as a function. A coroutine is switched to by one of the two always. */
void coroutine_call(void **save, void *to);
__asm__(".text\n"
        ".p2align 4\n"
        "coroutine_call:\n\t"
        "pushq %rbp\n\t"
        "pushq %rbx\n\t"
        "pushq %r12\n\t"
        "pushq %r13\n\t"
        "pushq %r14\n\t"
        "pushq %r15\n\t"
        "movq %rsp, (%rdi)\n\t"
        "movq %rsi, %rsp\n\t"
        "popq %r15\n\t"
        "popq %r14\n\t"
        "popq %r13\n\t"
        "popq %r12\n\t"
        "popq %rbx\n\t"
        "popq %rbp\n\t"
        "popq %rax\n\t"
        "jmpq *%rax");

/* The body never returns. */
static inline void *coroutine_new(void (*body)(void))
{
    enum { WORDS = 8192 };
    void **end = (void **)aligned_alloc(64, WORDS * sizeof(void *)) + WORDS;
    *--end = 0; /* as if called: the body's stack is aligned as C wants it */
    *--end = (void *)body;
    return end;
}

static inline void *coroutine_of_calls(void (*body)(void)) { return (void **)coroutine_new(body) - 6; }

static inline double coroutine_now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
