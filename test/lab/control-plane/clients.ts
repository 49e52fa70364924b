import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../network/run-command.ts';
import type { CallApi } from './api.ts';
import type { Certificates } from './certificates.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { Credential } from './kubeconfig.ts';

/** Credentials for the API server. */
export interface Clients {
  /** The file of one who may do everything. */
  readonly adminKubeconfig: string;
  /** A new kubeconfig file with a client certificate. */
  kubeconfigFor(user: string, groups: readonly string[]): Promise<string>;
  /** A new kubeconfig file with a token. */
  kubeconfigWithToken(token: string): Promise<string>;
  /** Of a service account that is there already. The API server gives none for less than 600 seconds. */
  tokenFor(account: ServiceAccount, options: TokenOptions): Promise<string>;
  /** As the administrator, unless the arguments say otherwise. Gives what it prints; fails with what it complains. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
}

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

export interface TokenOptions {
  /** None: the API server itself. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export interface ClientOptions {
  readonly url: string;
  readonly certificates: Certificates;
  readonly directory: string;
  readonly kubectlFile: string;
  readonly ask: CallApi;
}

export async function createClients(options: ClientOptions): Promise<Clients> {
  const { url, certificates, ask } = options;
  const directory = join(options.directory, 'clients');
  await mkdir(directory);
  const authorityFile = certificates.authority.certificateFile;
  let written = 0;
  const nextFile = (): string => join(directory, `${String((written += 1))}.kubeconfig`);
  const write = (file: string, credential: Credential): Promise<string> =>
    writeKubeconfig(file, { url, authorityFile, credential });
  const adminKubeconfig = await write(join(directory, 'admin.kubeconfig'), certificates.admin);
  return {
    adminKubeconfig,
    kubeconfigFor: async (user, groups) => {
      const file = nextFile();
      const name = `client-${String(written)}`;
      return write(file, await certificates.authority.issueClient(name, { user, groups }));
    },
    kubeconfigWithToken: (token) => write(nextFile(), { token }),
    tokenFor: (account, tokenOptions) => requestToken(ask, account, tokenOptions),
    kubectl: (args, input) => runKubectl(options, adminKubeconfig, args, input ?? ''),
  };
}

async function requestToken(ask: CallApi, account: ServiceAccount, options: TokenOptions): Promise<string> {
  const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: options };
  const { status, body } = await ask('POST', path, request);
  if (status === 201) return (body as { status: { token: string } }).status.token;
  throw new Error(`no token for ${account.namespace}/${account.name}: ${String(status)} ${JSON.stringify(body)}`);
}

const timeoutMs = 60_000;

async function runKubectl(
  { directory, kubectlFile }: ClientOptions,
  kubeconfig: string,
  args: readonly string[],
  input: string,
): Promise<string> {
  // It keeps what it finds out about the API below HOME.
  const env = { HOME: directory, KUBECONFIG: kubeconfig };
  const { code, stdout, stderr } = await runCommand(kubectlFile, args, { env, input, timeoutMs });
  if (code === 0) return stdout;
  throw new Error(`kubectl ${args.join(' ')} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
}
