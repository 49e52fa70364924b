import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** Build first what is missing for the whole of it. */
  readonly whole: boolean;
  readonly help: boolean;
}

export const usage = `npm run demo [-- OPTIONS]

Shows what polycloud does, with a local AWS emulator. Ends by itself.

  --whole       build the programs of Kubernetes first where they are missing; without them the controller and the node
                are left out
  --no-install  install no Debian packages; what needs them is left out
  --help        print this
`;

/** Throws if there is no such option. */
export function parseDemoOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { whole: { type: 'boolean' }, 'no-install': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  return { whole: values.whole === true, help: values.help === true };
}
