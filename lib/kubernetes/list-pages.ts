import { isKubernetesError } from './kubernetes-error.ts';
import { invalidResponse, parseListPage } from './parse-response.ts';
import type { ListPage } from './parse-response.ts';
import { collectionPath, queryText } from './request-path.ts';
import type { Resource, Selection } from './resources.ts';
import type { Transport } from './transport.ts';

export interface ListRequest<T> {
  readonly resource: Resource<T>;
  readonly selection: Selection;
}

/** Small pages: until it is trimmed, each is in memory as bytes, text and objects. */
const pageObjects = 100;

/** All pages have the version of the first one. `gone`: the API server no longer keeps that version. */
export async function* listPages<T>(
  transport: Transport,
  { resource, selection }: ListRequest<T>,
  signal: AbortSignal,
): AsyncGenerator<ListPage<T>> {
  const what = `list ${resource.plural}`;
  const collection = collectionPath(resource, selection.namespace);
  const followed = new Set<string>();
  let continueToken: string | undefined;
  do {
    const query = queryText(selection, { limit: String(pageObjects), continue: continueToken });
    const request = { what, method: 'GET', path: `${collection}${query}` } as const;
    const page = await transport.send(request, signal, (body) => parseListPage(what, resource, body));
    yield page;
    ({ continueToken } = page);
    if (continueToken !== undefined) {
      if (followed.has(continueToken)) throw invalidResponse(what, 'repeats a page, without an end');
      followed.add(continueToken);
    }
  } while (continueToken !== undefined);
}

/** Starts again once if the first version expired while it was read. */
export async function listAll<T>(
  transport: Transport,
  request: ListRequest<T>,
  signal: AbortSignal,
): Promise<ListPage<T>> {
  try {
    return await join(listPages(transport, request, signal));
  } catch (error) {
    if (!isKubernetesError(error, 'gone')) throw error;
    return join(listPages(transport, request, signal));
  }
}

async function join<T>(pages: AsyncIterable<ListPage<T>>): Promise<ListPage<T>> {
  const items: T[] = [];
  let resourceVersion = '';
  for await (const page of pages) {
    items.push(...page.items);
    ({ resourceVersion } = page);
  }
  return { items, resourceVersion };
}
