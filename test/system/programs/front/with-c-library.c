/* The front end with a C library around it, which is what sanitizers need to watch it. */
#define call call_kernel
#include "../../../../credential-provider/front/system.h"
#undef call

/* What the kernel writes and reads, the sanitizers do not see; so every byte of it is touched once more. */
static void touch(long bytes, long length)
{
    volatile char *each = (volatile char *)bytes;
    for (long i = 0; i < length; i++) each[i] = each[i];
}

static long call(long number, long a, long b, long c, long d, long e)
{
    long result = call_kernel(number, a, b, c, d, e);
    if (number == sys_read || number == sys_readlink) touch(number == sys_read ? b : c, result);
    return result;
}

#include "../../../../credential-provider/front/front-end.c"

int main(int count, char **argv, char **envp)
{
    return count < 0 ? 1 : answer_kubelet(argv, envp);
}
