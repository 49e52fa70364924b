/* Runs in each executable before Node does, see build/executables/before-node.ts. It takes out of the environment what Node itself
 * would listen to, and keeps the kernel from writing the memory of the process, with the keys in it, to a file. */
#include "../../../credential-provider/front/system.h"

static const char *const nodes_own[] = {NODES_OWN, 0};

static int is_named(const char *variable, const char *name)
{
    while (*name && *variable == *name) variable++, name++;
    return !*name && *variable == '=';
}

static int is_nodes_own(const char *variable)
{
    for (const char *const *name = nodes_own; *name; name++) if (is_named(variable, *name)) return 1;
    return 0;
}

__attribute__((used)) void prepare(long *stack)
{
    char **kept = (char **)(stack + 1) + stack[0] + 1, **each = kept;
    /* The limit goes on to programs that are executed from here, but does not count where the kernel hands core dumps to
     * a program. A process that is not dumpable has none at all, and only root can read its memory. */
    call(sys_limit, 0, core_size, (long)(const long[2]){0}, 0, 0);
    call(sys_process, set_dumpable, 0, 0, 0, 0);
    for (; *each; each++) if (!is_nodes_own(*each)) *kept++ = *each;
    while (kept < each) *kept++ = 0;
}

/* Node finds its registers and its stack as the system has set them. */
__asm__(".globl begin\nbegin: " ON("mov %rsp, %rbx\n mov %rdx, %r12\n mov %rsp, %rdi\n call prepare\n"
                                   "mov %rbx, %rsp\n mov %r12, %rdx\n jmp begin_node\n",
                                   "mov x19, x0\n mov x0, sp\n bl prepare\n mov x0, x19\n b begin_node\n"));
