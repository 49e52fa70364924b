import { Failure } from '../../../lib/failure.ts';
import type { HostRoot } from '../host-root.ts';
import { DbusError, bus, connectToBus } from './dbus-connection.ts';
import type { DbusMessage, DbusValue, MethodCall } from './dbus-message.ts';

/**
 * systemd of the host. Needs root and the host's D-Bus socket. Each rejects with a `Failure`.
 * https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.systemd1.html
 */
export interface Systemd {
  /** Reads the files of all units again, as `systemctl daemon-reload` does. */
  reload(): Promise<void>;
  /** These settle when the work that systemd began for it has ended. */
  startUnit(name: string): Promise<void>;
  stopUnit(name: string): Promise<void>;
  restartUnit(name: string): Promise<void>;
  /** Settles when systemd has begun with it. */
  queueRestart(name: string): Promise<void>;
  /** For the next boots; it starts nothing. */
  enableUnit(name: string): Promise<void>;
  disableUnit(name: string): Promise<void>;
  /** `undefined`: there is no such unit. */
  unitState(name: string): Promise<UnitState | undefined>;
  close(): void;
}

export interface UnitState {
  /** As `systemctl is-active` prints it: `active`, `activating`, `inactive`, `failed`, … */
  readonly active: string;
  /** When its main process started, by the clock of the host. Absent: none runs, or it is not a service. */
  readonly mainStartedAtMs?: number;
}

const socketPath = '/run/dbus/system_bus_socket';

/** Whether systemd runs the host, as sd_booted(3) finds it out. */
function hasSystemd(host: HostRoot): boolean {
  return host.isFolder('/run/systemd/system');
}

export async function connectToSystemd(host: HostRoot): Promise<Systemd> {
  if (!hasSystemd(host)) {
    throw new Failure('misconfigured', 'the host does not run systemd', { remedy: 'restart its services by hand' });
  }
  if (host.kindOf(socketPath) === 'absent') {
    throw new Failure('misconfigured', `the host has no ${socketPath}`, {
      remedy: 'install dbus on the host, or mount its /run too',
    });
  }
  const jobs = createJobs();
  const connection = await connectToBus(host.resolve(socketPath), jobs.onSignal);
  const ask: Ask = (call) => connection.call({ ...call, destination: 'org.freedesktop.systemd1' });
  const manage = (member: string, ...args: NonNullable<MethodCall['args']>): ReturnType<Ask> =>
    ask({ ...managerObject, member, args }).catch((error: unknown) => {
      throw asFailure(`systemd refused ${[member, ...args.slice(0, 1)].join(' ')}`, error);
    });
  const runJob = async (member: string, name: string): Promise<void> => {
    // A job of the same unit that still waits is replaced.
    const [job] = await manage(member, name, 'replace');
    const result = await Promise.race([jobs.resultOf(String(job)), connection.closed]);
    if (result === 'done') return;
    const remedy = `see \`journalctl -u ${name}\` on the host`;
    throw new Failure('unavailable', `${member} ${name} on the host ended with the result ${result}`, { remedy });
  };
  await connection.call({ ...bus, member: 'AddMatch', args: [`type='signal',interface='${managerObject.interface}'`] });
  await manage('Subscribe');
  return {
    reload: () => manage('Reload').then(ignore),
    startUnit: (name) => runJob('StartUnit', name),
    stopUnit: (name) => runJob('StopUnit', name),
    restartUnit: (name) => runJob('RestartUnit', name),
    queueRestart: (name) => manage('RestartUnit', name, 'replace').then(ignore),
    // Not only until the next boot, and in place of other links.
    enableUnit: (name) => manage('EnableUnitFiles', [name], false, true).then(ignore),
    disableUnit: (name) => manage('DisableUnitFiles', [name], false).then(ignore),
    unitState: (name) => readState(name, ask),
    close: connection.close,
  };
}

const managerObject = { path: '/org/freedesktop/systemd1', interface: 'org.freedesktop.systemd1.Manager' } as const;

function ignore(): void {
  // Nothing in the response matters.
}

type Ask = (call: Omit<MethodCall, 'destination'>) => Promise<readonly DbusValue[]>;

async function readState(name: string, ask: Ask): Promise<UnitState | undefined> {
  const read = async (path: string, type: string, property: string): Promise<DbusValue | undefined> => {
    const args = [`org.freedesktop.systemd1.${type}`, property];
    const [value] = await ask({ path, interface: 'org.freedesktop.DBus.Properties', member: 'Get', args });
    return value;
  };
  try {
    const [path] = await ask({ ...managerObject, member: 'LoadUnit', args: [name] });
    const unit = String(path);
    if ((await read(unit, 'Unit', 'LoadState')) === 'not-found') return undefined;
    const active = String(await read(unit, 'Unit', 'ActiveState'));
    if (!name.endsWith('.service') || Number(await read(unit, 'Service', 'MainPID')) === 0) return { active };
    const startedAtUs = await read(unit, 'Service', 'ExecMainStartTimestamp');
    return { active, mainStartedAtMs: Number(startedAtUs) / 1_000 };
  } catch (error) {
    throw asFailure(`the state of ${name} cannot be read`, error);
  }
}

/** The results of the jobs that ended, by their paths. */
function createJobs(): { onSignal(signal: DbusMessage): void; resultOf(job: string): Promise<string> } {
  const results = new Map<string, PromiseWithResolvers<string>>();
  const slotOf = (job: string): PromiseWithResolvers<string> => {
    const slot = results.get(job) ?? Promise.withResolvers<string>();
    results.set(job, slot);
    return slot;
  };
  return {
    onSignal: ({ member, body: [, job, , result] }) => {
      if (member === 'JobRemoved') slotOf(String(job)).resolve(String(result));
    },
    resultOf: (job) => slotOf(job).promise,
  };
}

function asFailure(what: string, error: unknown): unknown {
  if (!(error instanceof DbusError)) return error;
  const isDenied = ['AccessDenied', 'InteractiveAuthorizationRequired'].some((end) => error.errorName.endsWith(end));
  return new Failure(isDenied ? 'denied' : 'unavailable', `${what}: ${error.message}`, {
    remedy: isDenied ? 'start it as root of the host, not in a user namespace' : 'see `journalctl -xe` on the host',
    cause: error,
  });
}
