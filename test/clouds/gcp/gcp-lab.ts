import type { Test } from 'tap';
import type { Cloud, Identity, Instance, InstanceMetadata, Login } from '../../../clouds/cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { createGcp } from '../../../clouds/gcp/index.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { systemClock } from '../../../lib/clock.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { logInto } from '../../support/logs.ts';
import { gcp } from '../../lab/clouds/gcp/cloud.ts';
import type { GcpState } from '../../lab/clouds/gcp/state.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { fakeHost } from '../fake-host.ts';
import { gcpConfig } from './config.ts';

/** The options of a test for its node. */
export interface GcpNodeOptions {
  readonly env?: Environment;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Partial<GcpConfig>;
}

export interface GcpLab {
  readonly lab: LabCloud<GcpState>;
  /** All log lines. */
  readonly logLines: string[];
  logIn(as: Identity, wish: GcpNodeOptions): Promise<Login>;
  issueToken(
    audience: string,
    select: string | undefined,
    wish: GcpNodeOptions,
  ): Promise<{ token: string; expiresAtMs: number }>;
  describe(wish: GcpNodeOptions): Promise<Instance>;
  detect(wish: GcpNodeOptions): Promise<string>;
  /** Whose the token is, as the lab knows it. */
  memberOf(login: Login): Promise<string | undefined>;
  /** `sts POST /v1/token`, in the order of asking. */
  requestLines(): Promise<readonly string[]>;
}

/** Google as the lab has it, and our cloud in front of it. */
export async function startGcpLab(t: Test): Promise<GcpLab> {
  const lab = await runOnLoopback(gcp, { plain: [] });
  t.teardown(lab.stop);
  const logLines: string[] = [];
  const endpoints = { sts: lab.url('sts'), iamCredentials: lab.url('iam-credentials'), oauth2: lab.url('oauth2') };
  const cloud = ({ env, files, config }: GcpNodeOptions) =>
    createGcp({
      env: { GCE_METADATA_HOST: lab.url('metadata').replace('http://', ''), ...env },
      host: fakeHost(files ?? {}),
      config: { ...gcpConfig, endpoints, ...config },
    });
  return {
    lab,
    logLines,
    logIn: async (as, options) => {
      const { registry } = cloud(options);
      const matched = registry?.match({ host: 'gcr.io', registry: 'gcr.io', repository: 'a/b' });
      if (registry === undefined || matched === undefined) throw new Error('gcr.io is not matched');
      return registry.logIn(matched, as, contextWith(logLines));
    },
    issueToken: async (audience, select, options) => {
      const identityToken = await cloud(options).identity?.issueToken(audience, select, contextWith(logLines));
      if (identityToken === undefined) throw new Error('there is no identity');
      return { token: identityToken.token.reveal(), expiresAtMs: identityToken.expiresAtMs };
    },
    describe: async (options) => metadataOf(cloud(options)).describe(node, contextWith(logLines)),
    detect: async (options) => metadataOf(cloud(options)).detect(contextWith(logLines)),
    memberOf: async ({ password }) => (await lab.state()).accessTokens[password.reveal()]?.member,
    requestLines: async () => (await lab.requests()).map(({ service, method, path }) => `${service} ${method} ${path}`),
  };
}

const node = { uid: 'uid', name: 'lab-node-1', nodeIps: [], labels: {} };

function metadataOf({ metadata }: Cloud): InstanceMetadata {
  if (metadata === undefined) throw new Error('there is no metadata');
  return metadata;
}

/** Real time, but waits between attempts are short. */
function contextWith(logLines: string[]): Context {
  return {
    signal: new AbortController().signal,
    deadlineAtMs: systemClock.monotonicMs() + 20_000,
    http: createHttp({ proxies: { no: '' }, allAuthorities: () => [] }),
    clock: { ...systemClock, sleep: async (_durationMs, signal) => systemClock.sleep(1, signal) },
    log: logInto((line) => void logLines.push(line), 9),
    random: () => 0.5,
  };
}
