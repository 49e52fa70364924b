import { Failure } from '../../lib/failure.ts';

/** systemd hands over its sockets from this descriptor on. */
const firstDescriptor = 3;

/**
 * The socket that systemd opened for this process. `undefined`: none. Pure.
 * https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html
 */
export function systemdSocket(env: NodeJS.ProcessEnv, pid: number): number | undefined {
  const { LISTEN_PID, LISTEN_FDS = '0', LISTEN_FDNAMES = '' } = env;
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === '0') return undefined;
  if (LISTEN_FDS === '1') return firstDescriptor;
  throw new Failure('misconfigured', `systemd handed over ${LISTEN_FDS} sockets (${LISTEN_FDNAMES}) instead of one`, {
    remedy: 'leave one ListenStream= in polycloud-broker.socket',
  });
}
