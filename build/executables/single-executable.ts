import type { SeaConfig } from '@yao-pkg/pkg/lib-es5/sea.js';

/**
 * Part of every executable; Node reads them before it runs any JavaScript.
 * `--use-openssl-ca`: use the authorities of the host, by SSL_CERT_FILE and SSL_CERT_DIR at the first handshake; this is
 * milliseconds faster than Node's built-in list. `--no-use-system-ca`: Node refuses to start if NODE_USE_SYSTEM_CA
 * contradicts it. `--openssl-config`: OPENSSL_CONF could load code, and an invalid file stops Node.
 * `--disable-sigusr1`: the signal would open Node's debugger to every user of the machine.
 */
export const sharedNodeFlags: readonly string[] = [
  '--use-openssl-ca',
  '--no-use-system-ca',
  '--openssl-config=/dev/null',
  '--disable-sigusr1',
];

/** The files in the executable beside the start script (`start/executable.ts`): the path of each asset by its name. */
export type Assets = Readonly<Record<string, string>>;

interface Contents {
  readonly main: string;
  readonly nodeFlags: readonly string[];
  readonly assets: Assets;
}

/** The configuration of Node's single executable applications (SEA). */
export function seaConfig({ main, nodeFlags, assets }: Contents): SeaConfig & Readonly<Record<string, unknown>> {
  return {
    main,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    // Node takes its code cache before anything ran; ours is taken after training runs and is one of the assets.
    useCodeCache: false,
    execArgv: nodeFlags,
    // NODE_OPTIONS must have no effect.
    execArgvExtension: 'none',
    assets,
  };
}
