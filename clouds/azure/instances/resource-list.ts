import type { Context } from '../../../lib/context.ts';
import type { ListedResource, ResourcePage } from '../schemas.ts';
import { notItsFormat } from '../resource-manager-errors.ts';

/** A list in pages. The next look-up finishes what takes more requests than this one has time for. */
export interface ResourceList<T> {
  /** What is kept of the pages so far. */
  readonly resources: readonly T[];
  /** To the last page. Throws a `Failure` if a page cannot be read: the next call goes on with that page. */
  readRest(context: Context): Promise<void>;
}

export interface ResourceListDeps<T> {
  readonly first: URL;
  readPage(url: URL, context: Context): Promise<ResourcePage>;
  /** The part of a resource that is needed; none: it is left out. */
  keep(resource: unknown): readonly T[];
}

const pagesMax = 500;

export function openResourceList<T>({ first, readPage, keep }: ResourceListDeps<T>): ResourceList<T> {
  const resources: T[] = [];
  const seen = new Set<string>();
  let next: URL | undefined = first;

  return {
    resources,
    readRest: async (context) => {
      while (next !== undefined) {
        // A token is sent with each, and a link that comes back would never end.
        if (next.origin !== first.origin || seen.has(next.href) || seen.size === pagesMax) {
          throw notItsFormat(first.host);
        }
        const { value, nextLink } = await readPage(next, context);
        seen.add(next.href);
        resources.push(...value.flatMap(keep));
        next = nextLink ? linkedUrl(nextLink, first) : undefined;
      }
    },
  };
}

function linkedUrl(link: string, first: URL): URL {
  if (URL.canParse(link, first.origin)) return new URL(link, first.origin);
  throw notItsFormat(first.host);
}

export async function readAll(lists: readonly ResourceList<ListedResource>[], context: Context): Promise<void> {
  await allOf(lists.map((list) => list.readRest(context)));
}

/** All have ended when it throws the first failure, so no list is still being read for a look-up that is over. */
export async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

interface ResourceSchema<T> {
  safeParse(value: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

/** Only what is needed of each. One in another format is left out. */
export function keeping<T>(schema: ResourceSchema<T>): (resource: unknown) => readonly T[] {
  return (resource) => {
    const parsed = schema.safeParse(resource);
    return parsed.success ? [parsed.data] : [];
  };
}
