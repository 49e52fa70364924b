import { Failure } from '../../../lib/failure.ts';
import { createCredentialCache } from '../../../lib/credential-cache.ts';
import { apiRequest, ask, bodyJson } from '../../../lib/http/ask.ts';
import type { CloudSettings } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { computeUrl } from '../endpoints.ts';
import { googleFailure, missingResource } from '../errors.ts';
import type { GcpCall } from '../errors.ts';
import type { AccessToken } from '../identity/access-token.ts';
import { accessTokenFor } from '../identity/resolve-identity.ts';
import { readMetadata } from '../metadata/session.ts';
import { formats } from '../provider-id.ts';
import type { ProjectScope } from './scopes.ts';

/** One project of Compute Engine, for many calls. It keeps the access token. */
export interface ProjectSession {
  /** The project's id. */
  projectId(context: Context): Promise<string>;
  /** Sends once. Throws a `Failure` for everything but these responses. */
  get(request: ComputeRequest, context: Context): Promise<ComputeResponse>;
}

export interface ComputeRequest {
  /** Below the project. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The permission that it needs. */
  readonly permission: string;
}

export type ComputeResponse =
  | { readonly is: 'answer'; readonly json: unknown; readonly target: string }
  /** `resource`: what Google says does not exist. */
  | { readonly is: 'missing'; readonly resource: string; readonly failure: Failure }
  /** HTTP 400: a value in the path, such as a zone, is none that Google knows. */
  | { readonly is: 'invalid'; readonly failure: Failure };

/** A page with 500 instances has about 300 KB. */
const bodyBytes = 16 * 1024 * 1024;

export function openProjectSession({ config }: ProjectScope, settings: CloudSettings<GcpConfig>): ProjectSession {
  const tokens = createCredentialCache((context) => {
    const select = config?.serviceAccount;
    return accessTokenFor({ kind: 'node', ...(select !== undefined && { select }) }, { settings, context });
  });
  let ownProject = config?.projectId ?? settings.env['GOOGLE_CLOUD_PROJECT'];

  async function projectId(context: Context): Promise<string> {
    const found = ownProject || (await machineProject(settings.env, context));
    if (found === undefined || !projectPattern.test(found)) throw unknownProject();
    ownProject = found;
    return found;
  }

  async function send({ path, query, permission }: ComputeRequest, context: Context): Promise<ComputeResponse> {
    const [project, token] = await Promise.all([projectId(context), tokens.get(context)]);
    const url = computeUrl(project, path, settings.config);
    url.search = new URLSearchParams(query).toString();
    const call = callOf(url.host, permission, token);
    const headers = { authorization: `Bearer ${token.token.reveal()}` };
    const limits = { ...apiRequest.limits, bodyBytes };
    const response = await ask({ ...apiRequest, target: url.host, method: 'GET', url, headers, limits }, context);
    if (response.status === 200) return { is: 'answer', json: bodyJson(response, url.host), target: url.host };
    if (response.status === 401) tokens.invalidate();
    const failure = googleFailure(response, call, context.clock.wallMs());
    if (response.status === 400) return { is: 'invalid', failure };
    const resource = missingResource(response);
    if (resource === undefined) throw failure;
    return { is: 'missing', resource, failure };
  }

  return {
    projectId,
    get: async (request, context) => {
      try {
        return await send(request, context);
      } catch (error) {
        // The end of the look-up's time takes no result away that was there before.
        if (error instanceof Failure || !context.signal.aborted) throw error;
        throw tooLate(error);
      }
    },
  };
}

const projectPattern = new RegExp(`^${formats.project}$`);

function callOf(target: string, permission: string, { source }: AccessToken): GcpCall {
  return {
    target,
    action: permission,
    as: source,
    remedyWhenDenied: `grant it roles/compute.viewer on the project, or a role with ${permission}`,
    resource: { what: 'project, zone or instance', remedy: 'check gcp.projects and the providerIDs of the nodes' },
  };
}

function tooLate(cause: unknown): Failure {
  return new Failure('unavailable', 'the time of the look-up was over before Compute Engine had answered', {
    remedy: 'it is asked again; if this stays, check the way to the cloud and its health',
    cause,
  });
}

async function machineProject(env: Environment, context: Context): Promise<string | undefined> {
  try {
    return await readMetadata('project/project-id', env, context);
  } catch (error) {
    throw error instanceof Failure ? unknownProject(error) : error;
  }
}

/** Elsewhere than on Google there is no metadata server. */
function unknownProject(cause?: Failure): Failure {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new Failure(cause?.kind ?? 'misconfigured', `the project of the nodes is not known${why}`, {
    cause,
    remedy: 'name it in gcp.projects of the configuration, or set GOOGLE_CLOUD_PROJECT',
  });
}
