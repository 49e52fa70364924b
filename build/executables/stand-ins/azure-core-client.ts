interface Client {
  sendRequest(request: unknown): Promise<unknown>;
}

/**
 * In place of what @azure/identity sends by: pipelines with retries, proxies, traces and a look at whether `FormData` is
 * there, which makes Node load its second HTTP client. Each credential of ours is given a transport, and that is used.
 */
export class ServiceClient {
  readonly #client: Client;

  constructor({ httpClient }: { readonly httpClient?: Client }) {
    if (httpClient === undefined) throw new Error('a credential of Azure was made without a transport');
    this.#client = httpClient;
  }

  sendRequest(request: unknown): Promise<unknown> {
    return this.#client.sendRequest(request);
  }
}
