import type { SeaConfig } from '@yao-pkg/pkg/lib-es5/sea.js';

/**
 * Written into every executable and read by Node before any JavaScript is run.
 * `--use-openssl-ca`: trust is the host's, as SSL_CERT_FILE and SSL_CERT_DIR say when TLS is first used; reading it takes
 * milliseconds less than Node's built-in list. `--no-use-system-ca`: NODE_USE_SYSTEM_CA would contradict it, which Node
 * refuses to start with. `--openssl-config`: OPENSSL_CONF could load code, and a bad one stops Node.
 * `--disable-sigusr1`: the signal would open Node's debugger to every user of the machine; now it has no effect.
 */
export const sharedNodeFlags: readonly string[] = [
  '--use-openssl-ca',
  '--no-use-system-ca',
  '--openssl-config=/dev/null',
  '--disable-sigusr1',
];

/** What lies in the executable next to its start, see `start/executable.ts`: each asset's file by its name. */
export type Assets = Readonly<Record<string, string>>;

interface Contents {
  readonly main: string;
  readonly nodeFlags: readonly string[];
  readonly assets: Assets;
}

/** Node's own format for single executables. */
export function seaConfig({ main, nodeFlags, assets }: Contents): SeaConfig & Readonly<Record<string, unknown>> {
  return {
    main,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Node's own cache is taken before anything ran; ours, taken after a run, is among the assets.
    useCodeCache: false,
    execArgv: nodeFlags,
    // NODE_OPTIONS must have no effect.
    execArgvExtension: 'none',
    assets,
  };
}
