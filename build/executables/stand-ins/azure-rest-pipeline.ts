/** Replaces the pipeline below `azure-core-client.ts`: the parts of a request that our transport reads. */
export function createPipelineRequest(request: object): object {
  return request;
}

export function createHttpHeaders(headers: Readonly<Record<string, string>>): { toJSON(): Record<string, string> } {
  return { toJSON: () => ({ ...headers }) };
}

/** For credentials that we do not use. */
export const bearerTokenAuthenticationPolicy = unused;
export const createDefaultHttpClient = unused;
export const createEmptyPipeline = unused;
export const retryPolicy = unused;

function unused(): never {
  throw new Error('this program has no pipeline of the Azure SDK');
}
