import { ComputeManagementClient } from '@azure/arm-compute';
import type { ComputeManagementClientOptionalParams } from '@azure/arm-compute';
import { NetworkManagementClient } from '@azure/arm-network';
import type { LabCloud } from '../lab-cloud.ts';
import type { AzureState } from './state.ts';
import { labSubscription } from './virtual-machine.ts';

/** Azure's clients, with the names of production, in front of the embedded Resource Manager. */
export interface SdkClients {
  readonly compute: ComputeManagementClient;
  readonly network: NetworkManagementClient;
  /** The bodies of all responses so far, as they were sent. */
  readonly bodies: readonly unknown[];
}

export async function openSdkClients(lab: LabCloud<AzureState>, maxRetries: number): Promise<SdkClients> {
  const bodies: unknown[] = [];
  const token = await managedIdentityToken(lab);
  const credential = { getToken: () => Promise.resolve({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
  const options: ClientOptions = {
    retryOptions: { maxRetries },
    additionalPolicies: [{ position: 'perRetry', policy: toLab(lab.url('resource-manager'), bodies) }],
  };
  return {
    compute: new ComputeManagementClient(credential, labSubscription, options),
    network: new NetworkManagementClient(credential, labSubscription, options),
    bodies,
  };
}

type ClientOptions = Pick<ComputeManagementClientOptionalParams, 'retryOptions' | 'additionalPolicies'>;
type Policy = NonNullable<ClientOptions['additionalPolicies']>[number]['policy'];

/** Replaces DNS and TLS, behind everything else that the client does with a request. */
function toLab(base: string, bodies: unknown[]): Policy {
  return {
    name: 'lab',
    sendRequest: async (request, next) => {
      const { host, pathname, search } = new URL(request.url);
      const sent = request.url;
      request.headers.set('host', host);
      request.allowInsecureConnection = true;
      request.url = `${base}${pathname}${search}`;
      const response = await next(request);
      request.url = sent;
      bodies.push(JSON.parse(response.bodyAsText ?? 'null'));
      return response;
    },
  };
}

async function managedIdentityToken(lab: LabCloud<AzureState>): Promise<string> {
  const resource = encodeURIComponent('https://management.azure.com');
  const url = `${lab.url('imds')}/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${resource}`;
  const response = await fetch(url, { headers: { metadata: 'true' } });
  const { access_token: token } = (await response.json()) as { readonly access_token: string };
  return token;
}
