import { Failure } from '../../../lib/failure.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { ApiDroplet } from '../schemas.ts';
import { ApiDroplet as DropletSchema, DropletPage as PageSchema } from '../schemas.ts';

/** The Droplets of the team. One that is missing here may exist all the same. */
export interface DropletList {
  readonly byId: ReadonlyMap<string, ApiDroplet>;
  /** The API token that read it. */
  readonly token: Secret;
}

export interface DropletPage {
  readonly at: PageAddress;
  readonly droplets: readonly ApiDroplet[];
  readonly hasNext: boolean;
  readonly token: Secret;
}

/** GPU Droplets are in no list of others: https://docs.digitalocean.com/reference/api/digitalocean/#operation/droplets_list */
export interface PageAddress {
  readonly type: 'droplets' | 'gpus';
  readonly page: number;
}

/** The vendor's controller asks for 50, since 200 can be too much. The most that is allowed are 200. */
export const pageSize = 100;
/** More Droplets than a team has. */
const pagesMax = 500;

/** `undefined`: all pages have been read. Throws a `Failure` if there is no end. */
export function nextPage(pages: readonly DropletPage[]): PageAddress | undefined {
  const last = pages.at(-1);
  if (pages.length === pagesMax) throw endless();
  if (last === undefined) return { type: 'droplets', page: 1 };
  if (last.hasNext) return { type: last.at.type, page: last.at.page + 1 };
  return last.at.type === 'droplets' ? { type: 'gpus', page: 1 } : undefined;
}

/** Throws a `Failure` if it is no page. The link to the next one is not followed: it could lead to another host. */
export function parsePage(json: unknown, at: PageAddress, token: Secret): DropletPage {
  const parsed = PageSchema.safeParse(json);
  if (!parsed.success) {
    throw new Failure('invalid-response', 'DigitalOcean answered with something that is not a list of Droplets', {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
    });
  }
  const droplets = parsed.data.droplets.flatMap((each) => DropletSchema.safeParse(each).data ?? []);
  // A page that is empty is the last one, whatever its link.
  const hasNext = parsed.data.links?.pages?.next !== undefined && parsed.data.droplets.length > 0;
  return { at, droplets, hasNext, token };
}

export function joinPages(pages: readonly DropletPage[]): DropletList {
  const [first] = pages;
  if (first === undefined) throw new Error('there is no first page');
  const all = pages.flatMap(({ droplets }) => droplets.map((droplet) => [String(droplet.id), droplet] as const));
  return { byId: new Map(all), token: first.token };
}

function endless(): Failure {
  return new Failure('invalid-response', 'the list of Droplets does not end', {
    remedy: 'check that nothing else answers in place of DigitalOcean',
  });
}
