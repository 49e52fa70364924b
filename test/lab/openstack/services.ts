import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { insideRoot } from './inside-root.ts';
import type { RootFiles } from './inside-root.ts';
import type { PartProgram } from '../control-plane/processes.ts';

export const serviceNames = ['keystone', 'nova', 'neutron', 'metadata'] as const;
export type ServiceName = (typeof serviceNames)[number];

interface Service {
  /** Of its own network namespace. */
  readonly port: number;
  readonly module: string;
  /** Each answers one request at a time. */
  readonly processes: number;
  readonly env: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
}

const novaFiles = { OS_NOVA_CONFIG_FILES: '/usr/share/nova-common/api-paste.ini;/lab/etc/nova.conf' };

const services: Readonly<Record<ServiceName, Service>> = {
  keystone: {
    port: 5000,
    module: 'keystone.wsgi.api',
    processes: 2,
    env: { OS_KEYSTONE_CONFIG_FILES: '/lab/etc/keystone.conf' },
    arguments: [],
  },
  nova: { port: 8774, module: 'nova.wsgi.osapi_compute', processes: 3, env: novaFiles, arguments: [] },
  neutron: {
    port: 9696,
    module: 'neutron.wsgi.api',
    processes: 1,
    env: {},
    arguments: ['--pyargv', '--config-file /lab/etc/neutron.conf'],
  },
  metadata: { port: 8775, module: 'nova.wsgi.metadata', processes: 1, env: novaFiles, arguments: [] },
};

/**
 * In uWSGI, as Debian runs them: on a port for the other services, and on a socket for everybody outside the namespace.
 * uWSGI closes each connection, and must announce it: otherwise a service that uses the connection again fails.
 */
export function serviceProgram(name: ServiceName, files: RootFiles): PartProgram {
  const { port, module, processes, env, arguments: more } = services[name];
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const server = ['uwsgi_python3', '--need-app', '--die-on-term', '--enable-threads', '--buffer-size', '65535'];
  const listening = ['--http-socket', `127.0.0.1:${String(port)}`, '--http-socket', `/lab/run/${name}.sock`];
  const closing = ['--add-header', 'Connection: close'];
  // Each loads the application itself: connections to databases must not be shared.
  const workers = ['--master', '--lazy-apps', '--no-orphans', '--processes', String(processes)];
  const application = ['--module', `${module}:application`, ...more];
  return insideRoot(files, ['env', ...variables, ...server, ...workers, ...listening, ...closing, ...application]);
}

export function socketOf(directory: string, name: ServiceName): string {
  return join(directory, 'run', `${name}.sock`);
}

/** Any answer to the one question that needs no token. */
export async function isServing(socketPath: string): Promise<boolean> {
  const asked = request({ socketPath, path: '/' });
  asked.end();
  try {
    await once(asked, 'response');
    return true;
  } catch {
    return false;
  } finally {
    asked.destroy();
  }
}
