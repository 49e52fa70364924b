import { isLink } from '../../lib/host.ts';
import type { Host } from '../../lib/host.ts';
import { Declined } from './declined.ts';

/**
 * The host's files as they are mounted here. A link that leads out of what is mounted leads nowhere in here, and that does
 * not mean that the host has no such file.
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
