import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import type { CredentialProviderResponse } from '../../../schemas/credential-provider.ts';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import type { AwsNetwork } from '../../lab/aws-network.ts';
import type { Namespace } from '../../lab/network/namespace.ts';
import type { RunOptions, RunResult } from '../../lab/network/run-command.ts';
import { askFrontEnd, throughFrontEnd } from './through-front-end.ts';

export const provider = executablePath('polycloud-credential-provider', hostArchitecture());

/** Longer than the kubelet waits before it kills the provider. */
const timeoutMs = 70_000;

export interface ProviderCall {
  readonly image: string;
  readonly version?: 'v1' | 'v1beta1' | 'v1alpha1';
  readonly token?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The result of a call for the kubelet. */
export interface ProviderOutcome {
  readonly answer: CredentialProviderResponse | undefined;
  readonly code: number | null;
  readonly stderr: string;
  readonly durationMs: number;
}

/** What is called: the executable, or the front end with a new broker. */
export type CallMethod = (namespace: Namespace, args: readonly string[], options: RunOptions) => Promise<RunResult>;

export const callMethods = {
  fullProgram: (namespace, args, options) => namespace.run(provider, args, options),
  frontEnd: askFrontEnd,
} satisfies Readonly<Record<string, CallMethod>>;

const defaultMethod = throughFrontEnd ? callMethods.frontEnd : callMethods.fullProgram;

/** Calls it with the kubelet's bytes, and checks what holds for every call. */
export async function ask(
  namespace: Namespace,
  request: ProviderCall,
  method: CallMethod = defaultMethod,
): Promise<ProviderOutcome> {
  const { args = [], env = {} } = request;
  const result = await method(namespace, args, { env, input: requestBytes(request), timeoutMs });
  const { code, stderr, durationMs } = result;
  if (showsSecret(stderr)) throw new Error('a secret of the lab stands on standard error');
  if (code === 0) return { answer: parseAnswer(result.stdout), code, stderr, durationMs };
  if (result.stdout !== '') throw new Error(`exit code ${code}, yet something stands on standard output`);
  if (!args.includes('-v')) checkFailureForm(stderr);
  return { answer: undefined, code, stderr, durationMs };
}

/** The bytes and the order of keys of the kubelet. */
export function requestBytes({ image, version = 'v1', token, annotations }: ProviderCall): string {
  const request = {
    kind: 'CredentialProviderRequest',
    apiVersion: `credentialprovider.kubelet.k8s.io/${version}`,
    image,
    ...(token !== undefined && { serviceAccountToken: token }),
    ...(annotations !== undefined && { serviceAccountAnnotations: annotations }),
  };
  return `${JSON.stringify(request)}\n`;
}

/** One JSON object and a line end. */
function parseAnswer(stdout: string): CredentialProviderResponse {
  if (!/^\{.*\}\n$/.test(stdout)) throw new Error('standard output is not one JSON object on a line');
  return JSON.parse(stdout) as CredentialProviderResponse;
}

function checkFailureForm(stderr: string): void {
  if (stderr.length > 600 || stderr.trimEnd().split('\n').length > 2) throw new Error(`too much output: ${stderr}`);
  if (!/^polycloud-credential-provider: .+; hint: .+\n/.test(stderr)) throw new Error(`no clear line: ${stderr}`);
}

/** `POST api.ecr.us-west-2.amazonaws.com GetAuthorizationToken`, in the order of the calls. */
export async function requestsOf({ aws }: Pick<AwsNetwork, 'aws'>): Promise<readonly string[]> {
  const requests = await aws.requests();
  return requests.map(({ method, host, path, headers, body }) => {
    const action = headers['x-amz-target']?.split('.').at(-1) ?? /(?:^|&)Action=(\w+)/.exec(body)?.[1] ?? path;
    return `${method} ${host} ${action}`;
  });
}
