import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { ask, bodyText } from '../../lib/http/ask.ts';
import type { Http, HttpRequest } from '../../lib/http/http.ts';
import { parseJson } from '../../lib/json.ts';

/** The instance metadata contains a docker config file, or its URL. */
export type DockerConfigFlow = 'dockercfg' | 'dockercfg-url';

/** The name under which our docker config reader finds it; no file of the host has it. */
export const instanceFile = '/the instance’s docker config';

/** The host with one more file, which is fetched once, when it is first read. */
export function hostWithInstanceFile(flow: DockerConfigFlow, host: Host, http: Http): Host {
  let fetched: Promise<string> | undefined;
  const fetchOnce = (): Promise<string> => (fetched ??= fetchConfig(flow, http).then(inAuths));
  return {
    ...host,
    readText: async (path) => (path === instanceFile ? fetchOnce() : host.readText(path)),
    get homeDirectory() {
      return host.homeDirectory;
    },
  };
}

async function fetchConfig(flow: DockerConfigFlow, http: Http): Promise<string> {
  if (flow === 'dockercfg') return readAttribute('google-dockercfg', http);
  const text = (await readAttribute('google-dockercfg-url', http)).trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw misconfigured('attribute google-dockercfg-url of the instance is not a URL', 'write it as https://host/path');
  }
  return get({ method: 'GET', url, headers: {}, route: 'proxied', limits }, `the docker config at ${url.host}`, http);
}

const limits = { connectMs: 3_000, totalMs: 10_000 };
const metadataServer = 'the metadata server';

/** Never through a proxy, and only from a server that identifies itself as Google's. */
async function readAttribute(name: string, http: Http): Promise<string> {
  const url = new URL(`http://169.254.169.254/computeMetadata/v1/instance/attributes/${name}`);
  const headers = { 'metadata-flavor': 'Google' };
  const request = { method: 'GET', url, headers, route: 'direct', limits } as const;
  return get(request, `attribute ${name} of ${metadataServer}`, http);
}

async function get(request: HttpRequest, what: string, http: Http): Promise<string> {
  const response = await ask({ ...request, target: what }, { http, signal: AbortSignal.timeout(limits.totalMs) });
  const isTrusted = request.route === 'proxied' || response.headers['metadata-flavor'] === 'Google';
  if (response.status === 200 && isTrusted) return bodyText(response);
  throw misconfigured(
    `${what} could not be read (HTTP ${response.status})`,
    'set it, or call auth-provider-gcp with --authFlow=gcr',
  );
}

/** The older format has the hosts at the top level. */
function inAuths(text: string): string {
  const json = parseJson(text);
  const isOlder = typeof json === 'object' && json !== null && !('auths' in json) && !('credHelpers' in json);
  return isOlder ? JSON.stringify({ auths: json }) : text;
}

function misconfigured(what: string, remedy: string): Failure {
  return new Failure('misconfigured', what, { remedy });
}
