import { execFile } from 'node:child_process';
import { Failure } from '../../failure.ts';
import { parseJson } from '../../json.ts';
import { Secret } from '../../secret.ts';
import { isRecord, recordAt, textAt } from '../record.ts';
import type { JsonRecord } from '../record.ts';
import type { ClientCertificate } from './cluster-access.ts';
import type { ExecSettings } from './kubeconfig-settings.ts';

/** The output of a credential plugin. https://kubernetes.io/docs/reference/config-api/client-authentication.v1/ */
export interface ExecCredential {
  readonly token?: Secret;
  readonly client?: ClientCertificate;
  readonly expiresAtMs?: number;
}

const longestRunMs = 30_000;
const largestOutputBytes = 1_000_000;

/** `spec` is the input of the plugin. Its standard error is discarded: it could hold a secret. */
export async function runExecPlugin(
  settings: ExecSettings,
  spec: object,
  env: NodeJS.ProcessEnv,
): Promise<ExecCredential> {
  const { apiVersion, command, args } = settings;
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  const pluginEnv = Object.fromEntries(settings.env.map(({ name, value }) => [name, value]));
  const options = {
    env: { ...env, ...pluginEnv, KUBERNETES_EXEC_INFO: info },
    timeout: longestRunMs,
    killSignal: 'SIGKILL',
    maxBuffer: largestOutputBytes,
  } as const;
  const output = await new Promise<string>((resolve, reject) => {
    const child = execFile(command, [...args], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(pluginFailure(command, `failed (${error.code ?? error.signal ?? 'unknown'})`, error.code));
    });
    child.stdin?.end();
  });
  return parseExecCredential(output, settings);
}

/** Pure. */
export function parseExecCredential(output: string, { apiVersion, command }: ExecSettings): ExecCredential {
  const credential = parseJson(output);
  if (!isRecord(credential) || credential['kind'] !== 'ExecCredential' || credential['apiVersion'] !== apiVersion) {
    throw pluginFailure(command, `did not answer with an ExecCredential of ${apiVersion}`, undefined);
  }
  const status = recordAt(credential, 'status');
  const token = textAt(status, 'token');
  const client = certificateIn(status);
  if (token === undefined && client === undefined) {
    throw pluginFailure(command, 'answered without a credential', undefined);
  }
  const expiresAtMs = Date.parse(textAt(status, 'expirationTimestamp') ?? '');
  return {
    ...(token !== undefined && { token: new Secret(token) }),
    ...(client !== undefined && { client }),
    ...(!Number.isNaN(expiresAtMs) && { expiresAtMs }),
  };
}

function certificateIn(status: JsonRecord): ClientCertificate | undefined {
  const certificate = textAt(status, 'clientCertificateData');
  const key = textAt(status, 'clientKeyData');
  return certificate === undefined || key === undefined ? undefined : { certificate, key: new Secret(key) };
}

function pluginFailure(command: string, what: string, code: unknown): Failure {
  const remedy = code === 'ENOENT' ? 'install it, or name it by its path' : 'run it by hand to see what it says';
  return new Failure('unavailable', `credential plugin ${command} ${what}`, { remedy });
}
