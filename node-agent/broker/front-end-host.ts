import { dirname } from 'node:path';
import { defaultConfigFile } from '../../lib/config/load-config.ts';
import type { Host } from '../../lib/host.ts';
import { absentHomeFiles } from '../../schemas/broker.ts';
import { Declined } from './declined.ts';

/** The host as seen from inside the agent's container, for one request or one login. */
export interface HostView {
  readonly host: Host;
  /** Throws `Declined` when something was wanted that only the host itself has, whoever passed over it. */
  checkComplete(): void;
}

const homeDirectory = '/home-of-the-kubelet';
const absentFiles = new Set(absentHomeFiles.map((file) => `${homeDirectory}/${file}`));
/** The kernel's own: the same from wherever one looks. */
const kernelFiles = /^\/sys\/(?:class|devices|hypervisor)\//;

/** The host's own directory, mounted at the same place. */
const sharedDirectory = `${dirname(defaultConfigFile)}/`;

/** What of the host counts for logins is what the front end saw to be absent; of everything else we know nothing. */
export function frontEndHost(real: Host): HostView {
  let lastMissing: string | undefined;
  const decline = (what: string): Declined => {
    lastMissing = what;
    return new Declined(`only the host itself has ${what}`);
  };
  return {
    host: {
      homeDirectory,
      readText: async (path) => {
        if (absentFiles.has(path)) return undefined;
        if (kernelFiles.test(path)) return real.readText(path);
        // What is not there may still be there on the host, by a link that leads out of the directory.
        const text = path.startsWith(sharedDirectory) ? await real.readText(path) : undefined;
        if (text === undefined) throw decline(path);
        return text;
      },
      runCommand: () => Promise.reject(decline('a program to run')),
    },
    checkComplete: () => {
      const missing = lastMissing;
      // A login is renewed by the same view, and what is missing now may be there by then.
      lastMissing = undefined;
      if (missing !== undefined) throw new Declined(`only the host itself has ${missing}`);
    },
  };
}
