import type { Test } from 'tap';
import type { AzureConfig } from '../../../schemas/config/azure.ts';
import { createAzure } from '../../../clouds/azure/index.ts';
import type { Cloud, Identity, Login } from '../../../clouds/cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Http } from '../../../lib/http/http.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { parseImageReference } from '../../../lib/image-reference.ts';
import { logInto } from '../../support/logs.ts';
import { azure } from '../../lab/clouds/azure/cloud.ts';
import { labIssuer } from '../../lab/clouds/azure/state.ts';
import type { AzureState } from '../../lab/clouds/azure/state.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { createTokenSigner } from '../../lab/clouds/token-signer.ts';
import type { TokenSigner } from '../../lab/clouds/token-signer.ts';
import { fakeHost } from '../fake-host.ts';
import { azureConfig } from './config.ts';

export interface AzureNodeOptions {
  readonly env?: Environment;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Partial<AzureConfig>;
}

export interface AzureLab {
  readonly lab: LabCloud<AzureState>;
  /** Signs as the cluster's issuer, which the embedded Entra knows. */
  readonly signer: TokenSigner;
  /** Messages for operators. */
  readonly logLines: string[];
  /** How long was waited each time; it took no time. */
  readonly waitsMs: number[];
  context(): Context;
  cloud(setting: AzureNodeOptions): Cloud;
  logIn(image: string, as: Identity, setting: AzureNodeOptions): Promise<Login>;
  /** `POST login.microsoftonline.com /…`, sorted: two of them are under way at once. */
  requestLines(): Promise<readonly string[]>;
}

/** The embedded Azure behind the production names, and ours in front of it. */
export async function startAzureLab(t: Test): Promise<AzureLab> {
  const lab = await runOnLoopback(azure, { plain: ['imds'] });
  t.teardown(lab.stop);
  const signer = createTokenSigner('RS256');
  const logLines: string[] = [];
  const waitsMs: number[] = [];
  t.beforeEach(async () => {
    await lab.reset();
    await lab.update({ issuers: { [labIssuer]: { keys: [signer.publicKey] } } });
    logLines.length = 0;
    waitsMs.length = 0;
  });
  const context = (): Context => labContext(lab, logLines, waitsMs);
  const cloud = ({ env = {}, files = {}, config = {} }: AzureNodeOptions): Cloud =>
    createAzure({ env, host: fakeHost(files), config: { ...azureConfig, ...config } });
  return {
    lab,
    signer,
    logLines,
    waitsMs,
    context,
    cloud,
    logIn: async (image, as, options) => {
      const { registry } = cloud(options);
      const reference = parseImageReference(image);
      const matched = reference && registry?.match(reference);
      if (registry === undefined || matched === undefined) throw new Error(`${image} is not matched`);
      return registry.logIn(matched, as, context());
    },
    requestLines: async () =>
      (await lab.requests())
        .map(({ method, host, path, service }) => `${method} ${service === 'imds' ? 'imds' : host} ${path}`)
        .toSorted(),
  };
}

function labContext(lab: LabCloud<AzureState>, logLines: string[], waitsMs: number[]): Context {
  const startedAtMs = systemClock.monotonicMs();
  let skippedMs = 0;
  const monotonicMs = (): number => systemClock.monotonicMs() + skippedMs;
  const sleep = async (durationMs: number): Promise<void> => {
    waitsMs.push(durationMs);
    skippedMs += durationMs;
  };
  return {
    signal: new AbortController().signal,
    deadlineAtMs: startedAtMs + 50_000,
    http: behindNames(lab),
    clock: { wallMs: Date.now, monotonicMs, sleep },
    log: logInto((line) => void logLines.push(line)),
    random: () => 0.5,
  };
}

/** Replaces DNS and TLS. A request to an unknown name fails. */
function behindNames(lab: LabCloud<AzureState>): Http {
  const http = createHttp({ proxies: { no: '' }, allAuthorities: () => [] });
  return {
    send: async (request, signal) => {
      const { url } = request;
      const service = services.find(({ origin }) => origin.test(url.origin))?.name;
      if (service === undefined) throw new Error(`nobody was to be asked at ${url.origin}`);
      const headers = { ...request.headers, host: url.host };
      return http.send({ ...request, headers, url: new URL(`${url.pathname}${url.search}`, lab.url(service)) }, signal);
    },
  };
}

const services = [
  { name: 'imds', origin: /^http:\/\/169\.254\.169\.254$/ },
  { name: 'entra', origin: /^https:\/\/login\.(?:microsoftonline\.(?:com|us|de)|chinacloudapi\.cn|lab\.example)$/ },
  { name: 'resource-manager', origin: /^https:\/\/management\.(?:azure\.com|usgovcloudapi\.net)$/ },
  { name: 'registry', origin: /^https:\/\/[a-z0-9.-]+\.azurecr\.(?:io|us|cn|de|lab\.example)$/ },
];
