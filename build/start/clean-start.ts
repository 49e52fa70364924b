/**
 * To be called before anything else, even before Node's own modules are loaded. Variables that Node itself listens to are
 * meant for a `node` that somebody runs for a purpose; here they could switch off TLS verification, load code, print
 * secrets or break standard output. Node has read most of them before this line, so where one is set the process is
 * replaced by itself without it: same process id, name and arguments, standard input unread. That costs one more start of
 * Node, and nothing when none is set.
 *
 * `NODE_OPTIONS`, `NODE_USE_SYSTEM_CA` and `OPENSSL_CONF` could stop Node before it gets here: the flags in
 * `single-executable.ts` see to these. Beyond our reach is what Node does around it: NODE_DEBUG_NATIVE prints to
 * standard error, NODE_COMPILE_CACHE and NODE_V8_COVERAGE leave a file about this little start in the directory that they
 * name, and a NODE_CHANNEL_FD that is not a number, which no Node ever sets, stops it.
 */
export function cleanStart(): void {
  const found = nodesOwn.filter((name) => name in process.env);
  if (found.length === 0) return;
  const env = { ...process.env };
  for (const name of found) delete env[name];
  // The name we were called by decides what we are; it may be a link's, so it is kept apart from the file.
  process.execve?.('/proc/self/exe', [process.argv0, ...process.argv.slice(2)], env);
}

const nodesOwn: readonly string[] = [
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_CLUSTER_SCHED_POLICY',
  'NODE_COMPILE_CACHE',
  'NODE_COMPILE_CACHE_PORTABLE',
  'NODE_DEBUG',
  'NODE_DEBUG_NATIVE',
  'NODE_EXTRA_CA_CERTS',
  'NODE_ICU_DATA',
  'NODE_INSPECT_RESUME_ON_START',
  'NODE_NO_WARNINGS',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_PENDING_DEPRECATION',
  'NODE_PRESERVE_SYMLINKS',
  'NODE_PRESERVE_SYMLINKS_MAIN',
  'NODE_REDIRECT_WARNINGS',
  'NODE_TEST_CONTEXT',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_UNIQUE_ID',
  'NODE_USE_ENV_PROXY',
  'NODE_USE_SYSTEM_CA',
  'NODE_V8_COVERAGE',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
  'UV_USE_IO_URING',
  'WATCH_REPORT_DEPENDENCIES',
];
