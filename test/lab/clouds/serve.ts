import type { CloudDefinition } from './cloud.ts';
import { serveControl } from './control.ts';
import { embeddedClouds } from './embedded.ts';
import type { EmbeddedName } from './embedded.ts';
import type { ListenerOptions } from './listener.ts';
import { runCloud } from './run-cloud.ts';

/** The argument, as JSON. */
export interface ServeOptions {
  readonly cloud: EmbeddedName;
  readonly controlSocket: string;
  readonly listeners: readonly ListenerOptions[];
}

// Serves a cloud from a process of its own, e.g. inside a network namespace. Says `ready` when it is, and ends when
// its standard input does: then the process that started it has ended too, however that happened.
const options = JSON.parse(process.argv[2] ?? '') as ServeOptions;
const definition = embeddedClouds[options.cloud] as CloudDefinition<object>;
const lab = await runCloud(definition, options.listeners);
await serveControl(lab, options.controlSocket);
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume();
process.stdout.write('ready\n');
