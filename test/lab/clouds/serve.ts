import { aws } from './aws/cloud.ts';
import { serveControl } from './control.ts';
import type { ListenerOptions } from './listener.ts';
import { runCloud } from './run-cloud.ts';

/** What the one argument says, as JSON. */
export interface ServeOptions {
  readonly cloud: keyof typeof clouds;
  readonly controlSocket: string;
  readonly listeners: readonly ListenerOptions[];
}

/** Every embedded cloud. */
const clouds = { aws };

// Serves a cloud from a process of its own, e.g. inside a network namespace. Says `ready` when it is, and ends when
// its standard input does: then whoever started it has ended too, however that happened.
const options = JSON.parse(process.argv[2] ?? '') as ServeOptions;
const lab = await runCloud(clouds[options.cloud], options.listeners);
await serveControl(lab, options.controlSocket);
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume();
process.stdout.write('ready\n');
