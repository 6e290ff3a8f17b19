/* The least runtime that a linked object needs: a heap that never fills up, and printing with the caller's line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct site { uint32_t ret, frame, handler, first_slot, slot_count, function, line, inlined; };
struct function { uint32_t start, bytes, name, name_len, file, file_len, line, pad; };
struct table {
    const char *base; uint64_t len;
    const struct site *sites; uint64_t mask;
    const uint32_t *slots; uint64_t slot_count;
    const struct function *functions; uint64_t function_count;
    const char *text; uint64_t text_len;
    const uint32_t *global_refs; uint64_t global_ref_count; uint64_t global_count; const void *inlined; uint64_t inlined_count;
};
extern const struct { const void *main; const struct table *table; uint64_t *globals; uint64_t align; } leat_program;

static uint64_t tcb[128] __attribute__((aligned(64)));
static uint64_t heap[1 << 20] __attribute__((aligned(64)));

uint64_t leat_print_stub(void *t, const char *string) {
    const struct table *p = leat_program.table;
    uint64_t length = ((const uint64_t *)string)[-1] >> 16;
    uint32_t ret = (uint32_t)((const char *)__builtin_return_address(0) - p->base);
    for (uint64_t i = 0; i <= p->mask; i++) {
        const struct site *s = &p->sites[i];
        if (s->ret == ret) {
            const struct function *f = &p->functions[s->function];
            printf("%.*s:%u %.*s: ", (int)f->file_len, p->text + f->file, s->line, (int)f->name_len, p->text + f->name);
        }
    }
    printf("%.*s\n", (int)length, string);
    return t != tcb;
}

double leat_real_pow(double a, double b) { return b == 2 ? a * a : a; }

#define ABSENT(name) void name(void) { abort(); }
ABSENT(leat_gc_stub) ABSENT(leat_raise_stub) ABSENT(leat_raise_builtin_stub) ABSENT(leat_stack_check_stub) ABSENT(leat_poll_stub)

uint64_t enter(const void *code, void *t);
__asm__(".text\nenter:\n push %rbp\n mov %rsp, %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n sub $8, %rsp\n"
        " mov %rsi, %r15\n call *%rdi\n add $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

int leat_main(const void *program, int argc, char **argv) {
    if (program != (const void *)&leat_program || argc != 1 || !argv[0]) return 1;
    tcb[0] = (uint64_t)heap + leat_program.align - 8;
    tcb[1] = (uint64_t)(heap + (1 << 20));
    enter(leat_program.main, tcb);
    printf("%llu globals, first %llu, align %llu\n", (unsigned long long)leat_program.table->global_count,
           (unsigned long long)leat_program.globals[0], (unsigned long long)leat_program.align);
    return 0;
}
