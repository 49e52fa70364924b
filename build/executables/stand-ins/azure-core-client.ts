interface Client {
  sendRequest(request: unknown): Promise<unknown>;
}

/**
 * Replaces the HTTP pipeline of @azure/identity with its retries, proxies and traces, and with a check for `FormData`,
 * which makes Node load a second HTTP client. Each of our credentials gets a transport, which is used instead.
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
