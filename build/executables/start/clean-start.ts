import { nodeVariables } from './node-variables.ts';

/**
 * To be called before anything else, even before Node's own modules are loaded. Variables that Node itself listens to are
 * meant for a `node` that somebody runs for a purpose; here they could switch off TLS verification, load code, print
 * secrets or break standard output. `before-node.c` takes them away before Node starts. Where a build had no compiler for
 * that, the process is replaced by itself without them: same process id, name and arguments, standard input unread. That
 * costs one more start of Node, and comes too late for those that Node reads before any JavaScript: NODE_DEBUG_NATIVE
 * prints to standard error, NODE_COMPILE_CACHE and NODE_V8_COVERAGE leave a file, NODE_REPL_EXTERNAL_MODULE and a
 * NODE_CHANNEL_FD that is not a number stop it.
 */
export function cleanStart(): void {
  const found = nodeVariables.filter((name) => name in process.env);
  if (found.length === 0) return;
  const env = { ...process.env };
  for (const name of found) delete env[name];
  // The name we were called by decides what we are; it may be a link's, so it is kept apart from the file.
  process.execve?.('/proc/self/exe', [process.argv0, ...process.argv.slice(2)], env);
}
