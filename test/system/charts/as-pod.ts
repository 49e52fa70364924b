import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import type { AuditEvent } from '../../lab/control-plane/audit.ts';
import type { SharedControlPlane } from '../../lab/control-plane/shared.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { runCommand, withEnvironment } from '../../lab/network/run-command.ts';
import type { RunResult } from '../../lab/network/run-command.ts';
import { only, release } from '../../lab/helm/chart.ts';
import type { Manifest } from '../../lab/helm/chart.ts';

export interface PodProgramOptions {
  readonly plane: SharedControlPlane;
  readonly manifests: readonly Manifest[];
  readonly token: string;
  readonly workload: { readonly kind: string; readonly name: string };
  /** In addition to those of the workload. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes the place of what the pod has mounted. */
  readonly directory: string;
}

/** Runs the executable with the arguments of the workload until the test ends. Returns its output so far. */
export async function startAsPod(t: Test, parts: PodProgramOptions): Promise<() => string> {
  const { plane, manifests, token, workload, env, directory } = parts;
  const here = (content: string): string => content.replaceAll(/\/etc\/(?:ssl\/)?polycloud/g, directory);
  const { data } = only(manifests, 'ConfigMap', 'polycloud-config') as Manifest & ConfigMap;
  for (const [name, content] of Object.entries(data)) await writeFile(join(directory, name), here(content));
  const args = argumentsOf(only(manifests, workload.kind, workload.name)).map(here);
  const kubeconfig = await plane.kubeconfigWithToken(token);
  const file = executablePath(workload.name, hostArchitecture());
  const command = withEnvironment(env, file, [...args, '--kubeconfig', kubeconfig]);
  const child = spawn(...command, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  return () => stderr;
}

/** Runs the executable to its end with the arguments of the workload, which need no files. */
export async function runAsPod({
  plane,
  manifests,
  token,
  workload,
  program,
}: Pick<PodProgramOptions, 'plane' | 'manifests' | 'token' | 'workload'> & {
  readonly program: string;
}): Promise<RunResult> {
  const args = argumentsOf(only(manifests, workload.kind, workload.name));
  const kubeconfig = await plane.kubeconfigWithToken(token);
  const file = executablePath(program, hostArchitecture());
  return runCommand(file, [...args, '--kubeconfig', kubeconfig], { env: {}, input: '', timeoutMs: 60_000 });
}

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>;
}

function argumentsOf({ spec }: Manifest): readonly string[] {
  const { template } = spec as { template: { spec: { containers: readonly { args: readonly string[] }[] } } };
  return template.spec.containers.flatMap(({ args }) => args);
}

/** What the API server heard from a program of the chart, which is called as its account is. */
async function requestsBy(plane: SharedControlPlane, account: string): Promise<readonly AuditEvent[]> {
  const username = `system:serviceaccount:${release.namespace}:${account}`;
  const events = await plane.auditEvents();
  return events.filter(({ user, userAgent }) => user.username === username && userAgent?.startsWith(`${account}/`));
}

/** All of these rights were made use of, and nothing was refused, neither by a role nor by a policy. */
export async function checkRights(
  t: Test,
  plane: SharedControlPlane,
  account: string,
  rights: readonly string[],
): Promise<void> {
  await waitUntil({ what: `all of ${rights.join(', ')}`, withinMs: 20_000, everyMs: 50 }, async () => {
    const used = (await requestsBy(plane, account)).map(
      ({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}`,
    );
    return rights.every((right) => used.includes(right)) ? true : undefined;
  });
  const denied = (await requestsBy(plane, account)).filter(({ responseStatus }) => responseStatus?.code === 403);
  t.same(
    denied.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    [],
  );
}

export interface PageChecks {
  readonly plane: SharedControlPlane;
  readonly port: number;
  /** One of its own. */
  readonly metric: string;
}

/** Health is everybody's; metrics are for the account `prometheus` in `default`, which the values have to name. */
export async function checkPages(t: Test, { plane, port, metric }: PageChecks): Promise<void> {
  await waitUntil({ what: 'readiness', withinMs: 20_000, everyMs: 50 }, async () => {
    // It does not listen from the start.
    const page = await readPage(port, '/readyz').catch(() => '');
    return page.startsWith('200') ? true : undefined;
  });
  t.match(await readPage(port, '/livez'), /^200/);
  const createToken = async (name: string): Promise<string> => {
    await plane.kubectl(['create', 'serviceaccount', name]);
    return plane.tokenFor({ namespace: 'default', name }, { audiences: [], expirationSeconds: 600 });
  };
  const metrics = await readPage(port, '/metrics', await createToken('prometheus'));
  t.match(metrics, /^200/);
  t.match(metrics, metric);
  t.match(await readPage(port, '/metrics', await createToken('somebody')), /^403/);
}

/** As the account that `checkPages` made. */
export async function readMetrics(plane: SharedControlPlane, port: number): Promise<string> {
  return readMetricsAs({ namespace: 'default', name: 'prometheus' }, plane, port, {});
}

/** With `tls.ca` the certificate is verified. */
export async function readMetricsAs(
  account: { readonly namespace: string; readonly name: string },
  plane: SharedControlPlane,
  port: number,
  tls: Pick<RequestOptions, 'ca' | 'servername'>,
): Promise<string> {
  const token = await plane.tokenFor(account, { audiences: [], expirationSeconds: 600 });
  const page = await readPage(port, '/metrics', token, { rejectUnauthorized: tls.ca !== undefined, ...tls });
  if (!page.startsWith('200 ')) throw new Error(page);
  return page.slice(4);
}

/** Its certificate is self-signed, as in a cluster. */
const selfSigned: RequestOptions = { rejectUnauthorized: false };

/** The status and the text of a page that it serves. */
async function readPage(port: number, path: string, token?: string, tls: RequestOptions = selfSigned): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { ...tls, headers, agent: false, signal: AbortSignal.timeout(10_000) };
  const request = httpsRequest(`https://127.0.0.1:${String(port)}${path}`, options);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return `${String(response.statusCode)} ${await text(response)}`;
}
