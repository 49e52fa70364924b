/* What the kubelet starts where an agent is warm: it hands the kubelet's bytes to the agent's socket and the answer's
 * bytes back. Whatever is not as it should be, the full program beside it is started in its place, which knows nothing
 * of an agent. It understands neither request nor answer, and has no memory but what stands here. */
#include "clouds.h"
#include "system.h"

#define SOCKET_PATH "/run/polycloud/broker.sock"
#define PROTOCOL "polycloud/2"
#define FULL_PROGRAM "polycloud-credential-provider-full"
#define FAILURE(why) "polycloud-credential-provider: " FULL_PROGRAM " cannot be started" why "\n"
#define LIST static const char *const
#define EACH(item, list) const char *const *item = list; *item; item++

enum { header_max = 300, request_max = 1000001, answer_max = 32768, path_max = 4096 };
enum { connect_us = 100000, send_ms = 500, acknowledgement_ms = 2000, answer_ms = 20000, request_ms = 10000 };

static char message[header_max + request_max], answer[answer_max], path[path_max];

LIST emulated_providers[] = {"ecr-credential-provider", "acr-credential-provider", "auth-provider-gcp", 0};
/* Variables that choose an identity, an endpoint, a proxy or the trusted authorities begin with one of these. */
LIST variable_prefixes[] = {CLOUD_VARIABLE_PREFIXES "SSL_CERT_", "POLYCLOUD_", "HTTP_PROXY=", "HTTPS_PROXY=",
    "NO_PROXY=", "ALL_PROXY=", "http_proxy=", "https_proxy=", "no_proxy=", "all_proxy=", 0};
/* Files in the home directory that give the node an identity without being named anywhere. */
LIST home_files[] = {CLOUD_HOME_FILES 0};

static int begins(const char *text, const char *with)
{
    while (*with && *text == *with) text++, with++;
    return !*with;
}

static const char *base_name(const char *of)
{
    const char *name = of;
    while (*of) if (*of++ == '/') name = of;
    return name;
}

/* The new end of the text; none if there is no room, or was none. */
static char *append(char *end, const char *limit, const char *text)
{
    for (; end && *text; *end++ = *text++) if (end + 1 >= limit) return 0;
    if (end) *end = 0;
    return end;
}

static long now_ms(void)
{
    struct span now;
    return call(sys_clock, monotonic, (long)&now, 0, 0, 0) ? 0 : now.seconds * 1000 + now.fraction / 1000000;
}

/* Reads, writes or sends until all is done, the other side ends, or it is too late; gives how much was done. */
static long move_all(long how, long descriptor, char *bytes, long length, long within_ms)
{
    long done = 0, until_ms = now_ms() + within_ms;
    while (done < length) {
        long left_ms = until_ms - now_ms();
        struct span left = {left_ms / 1000, left_ms % 1000 * 1000000};
        struct wait wait = {(int)descriptor, how == sys_read ? readable : writable, 0};
        if (left_ms <= 0 || call(sys_poll, (long)&wait, 1, (long)&left, 0, 0) != 1) break;
        long moved = call(how, descriptor, (long)(bytes + done), length - done, how == sys_send ? no_signal : 0, 0);
        if (moved <= 0) break;
        done += moved;
    }
    return done;
}

/* It finds everything as the kubelet gave it to us: arguments, environment, and time since the start. */
static int start_full_program(char **argv, char **envp)
{
    static char missing[] = FAILURE("; hint: install it beside the program that the kubelet calls");
    static char unfit[] = FAILURE(": the host has no glibc 2.28; hint: use another host, or let the broker answer");
    long error = 0, length = call(sys_readlink, here, (long)"/proc/self/exe", (long)path, path_max - 1, 0);
    path[length > 0 ? length : 0] = 0;
    char *name = path + (base_name(path) - path);
    /* Never ourselves again, by whatever name. */
    if (!begins(name, FULL_PROGRAM) && append(name, path + path_max, FULL_PROGRAM))
        error = call(sys_execve, (long)path, (long)argv, (long)envp, 0, 0);
    /* It is there: what does not exist is the loader that it names, that of glibc. */
    int is_unfit = error == no_such_file && !call(sys_statx, here, (long)path, 0, all_fields, (long)answer);
    move_all(sys_write, 2, is_unfit ? unfit : missing, (is_unfit ? sizeof unfit : sizeof missing) - 1, request_ms);
    return 1;
}

/* Would an agent answer what the full program would answer here? */
static int has_default_environment(char **argv, char **envp)
{
    struct file found; const char *home = "/root";
    if (!argv[0] || argv[1]) return 0;
    for (const char *at = base_name(argv[0]); *at; at++) if (*at <= ' ' || *at > '~') return 0;
    for (EACH(provider, emulated_providers)) if (begins(base_name(argv[0]), *provider)) return 0;
    for (; *envp; envp++) {
        for (EACH(prefix, variable_prefixes)) if (begins(*envp, *prefix)) return 0;
        if (begins(*envp, "HOME=")) home = *envp + 5;
    }
    for (EACH(file, home_files)) {
        if (!append(append(path, path + path_max, home), path + path_max, *file)) return 0;
        long result = call(sys_statx, here, (long)path, 0, all_fields, (long)&found);
        if (result != no_such_file && result != not_a_directory) return 0;
    }
    return *home == '/';
}

/* Every directory on the way is root's alone to change, the last one root's alone to enter, and nothing is a link. */
static int is_trusted(void)
{
    static char socket_path[] = SOCKET_PATH;
    struct file found;
    for (char *at = socket_path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        long result = call(sys_statx, here, (long)socket_path, no_follow, all_fields, (long)&found);
        *at = '/';
        int is_last = base_name(at) == at + 1, mode = found.mode & ~(is_last ? 0 : 0755);
        if (result || found.user || mode != (is_last ? is_directory | 0700 : is_directory)) return 0;
    }
    return !call(sys_statx, here, (long)socket_path, no_follow, all_fields, (long)&found) && !found.user
           && (found.mode & type_mask) == is_socket;
}

static long connect_to_agent(void)
{
    static const struct address agent = {local, SOCKET_PATH};
    static const struct span longest = {0, connect_us};
    long connection = call(sys_socket, local, stream | close_on_exec, 0, 0, 0);
    long set = call(sys_option, connection, level, send_timeout, (long)&longest, sizeof longest);
    return !set && !call(sys_connect, connection, (long)&agent, sizeof agent, 0, 0) ? connection : -1;
}

/* Writes what a whole answer says, and gives the exit code; -1: it is not whole, or not for us to give. */
static int pass_on(long length)
{
    static const char good[] = PROTOCOL "\nanswer\n", bad[] = PROTOCOL "\nfailure\n", end[] = "\nend\n";
    int is_good = begins(answer, good);
    long head = (is_good ? sizeof good : sizeof bad) - 1, tail = sizeof end - 1, body = length - head - tail + 1;
    if (!is_good && !begins(answer, bad)) return -1;
    if (length == answer_max || body < 2 || !begins(answer + length - tail, end)) return -1;
    int is_written = move_all(sys_write, is_good ? 1 : 2, answer + head, body, answer_ms) == body;
    return is_good && is_written ? 0 : 1;
}

static int answer_kubelet(char **argv, char **envp)
{
    char *const limit = message + header_max, *const head = append(message, limit, PROTOCOL " ");
    long request_copy = call(sys_memfd, (long)"request", closes, 0, 0, 0);
    int is_ours = request_copy >= 0 && has_default_environment(argv, envp) && is_trusted();
    long connection = is_ours ? connect_to_agent() : -1;
    char *request = connection < 0 ? 0 : append(append(head, limit, base_name(argv[0])), limit, "\n");
    if (!request) return start_full_program(argv, envp);
    long length = move_all(sys_read, 0, request, request_max, request_ms), whole = request - message + length;
    if (move_all(sys_send, connection, message, whole, send_ms) == whole
        && !call(sys_shutdown, connection, sending, 0, 0, 0)
        && move_all(sys_read, connection, answer, 1, acknowledgement_ms) == 1) {
        int code = pass_on(1 + move_all(sys_read, connection, answer + 1, answer_max - 1, answer_ms));
        if (code >= 0) return code;
    }
    move_all(sys_write, request_copy, request, length, request_ms);
    call(sys_seek, request_copy, 0, 0, 0, 0), call(sys_dup, request_copy, 0, 0, 0, 0); /* stdin from its start */
    return start_full_program(argv, envp);
}

__asm__(".globl begin\nbegin: " ON("mov %rsp, %rdi\n and $-16, %rsp\n call start\n", "mov x0, sp\n bl start\n"));
__attribute__((noreturn, used)) void start(long *stack)
{
    call(sys_limit, 0, core_size, (long)(const long[2]){0}, 0, 0), call(sys_process, set_dumpable, 0, 0, 0, 0);
    call(sys_exit, answer_kubelet((char **)stack + 1, (char **)stack + stack[0] + 2), 0, 0, 0, 0);
    __builtin_trap();
}
