import { nodeVariables } from './node-variables.ts';

/**
 * Called first, before Node's own modules are loaded. Variables that Node itself reads are
 * meant for a `node` that a person runs; here they could disable TLS verification, load code, print
 * secrets or break standard output. `before-node.c` removes them before Node starts. If the build had no compiler for
 * it, the process executes itself again without them: same process id, name and arguments, standard input unread. That
 * costs another start of Node, and is too late for those that Node reads before any JavaScript: NODE_DEBUG_NATIVE
 * prints to standard error, NODE_COMPILE_CACHE and NODE_V8_COVERAGE write a file, NODE_REPL_EXTERNAL_MODULE and a
 * NODE_CHANNEL_FD that is not a number stop it.
 */
export function cleanStart(): void {
  const found = nodeVariables.filter((name) => name in process.env);
  if (found.length === 0) return;
  const env = { ...process.env };
  for (const name of found) delete env[name];
  // The program name decides between our own behaviour and emulation; it may be a link, so it is passed apart from the file.
  process.execve?.('/proc/self/exe', [process.argv0, ...process.argv.slice(2)], env);
}
