import { dirname } from 'node:path';
import { defaultConfigFile } from '../../lib/config/load-config.ts';
import { isLink } from '../../lib/host.ts';
import type { Host } from '../../lib/host.ts';
import { cloudHomeFiles } from '../../schemas/generated/clouds.ts';
import { Declined } from './declined.ts';

/** The host as seen from the agent's container, for one request or one login. */
export interface HostView {
  readonly host: Host;
  /** Throws `Declined` when something was requested that only the host has, even if the error was caught. */
  checkComplete(): void;
}

const homeDirectory = '/home-of-the-kubelet';
const absentFiles = new Set(cloudHomeFiles.map((file) => `${homeDirectory}/${file}`));
/** Provided by the kernel: the same in the container and on the host. */
const kernelFiles = /^\/sys\/(?:class|devices|hypervisor)\//;

/** The host's own directory, mounted at the same path. */
const sharedDirectory = `${dirname(defaultConfigFile)}/`;

/** The front end has checked that the home files are absent. Nothing is known here about the host's other files. */
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
        // A file that is absent here may exist on the host, through a link that leads out of the directory.
        const text = path.startsWith(sharedDirectory) ? await real.readText(path) : undefined;
        if (text === undefined) throw decline(path);
        return text;
      },
      runCommand: () => Promise.reject(decline('a program to run')),
    },
    checkComplete: () => {
      const missing = lastMissing;
      // A refresh of the login uses the same view, and the file may exist by then.
      lastMissing = undefined;
      if (missing !== undefined) throw new Declined(`only the host itself has ${missing}`);
    },
  };
}

/**
 * The host's files as they are mounted here. A link that leads out of the mounts is dangling here, but the host may have
 * the file.
 */
export function mountedHost(host: Host): Host {
  return {
    homeDirectory: host.homeDirectory,
    runCommand: host.runCommand,
    readText: async (path) => {
      const text = await host.readText(path);
      if (text === undefined && isLink(path)) throw new Declined(`only the host itself knows where ${path} leads`);
      return text;
    },
  };
}
