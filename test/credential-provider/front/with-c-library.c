/* The front end with a C library around it, which is what sanitizers need to watch it. */
#include "../../../credential-provider/front/front-end.c"

int main(int count, char **argv, char **envp)
{
    return count < 0 ? 1 : answer_kubelet(argv, envp);
}
