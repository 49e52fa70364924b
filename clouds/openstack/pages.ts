import { Failure } from '../../lib/failure.ts';

interface PageLink {
  readonly rel: string;
  readonly href: string;
}

/**
 * The id that the next page begins after; `undefined`: this is the last one. Of a link only the marker is used: its
 * address is what the service takes for its own, which behind a proxy can be another one.
 */
export function nextMarker(links: readonly PageLink[] | undefined): string | undefined {
  const next = links?.find(({ rel }) => rel === 'next')?.href;
  if (next === undefined) return undefined;
  const marker = URL.canParse(next, base) ? new URL(next, base).searchParams.get('marker') : null;
  if (marker !== null && /^[\w.:-]{1,255}$/.test(marker)) return marker;
  throw new Failure('invalid-response', 'the link to the next page of a list has no marker', {
    remedy: 'check that nothing else, such as a proxy, changes the responses',
  });
}

/** Links may be without a host. */
const base = 'http://service.invalid/';

/** More pages than any project has. */
const pagesMax = 200;

/** Adds the pages that are missing, so that a list that had no time for all of them can be continued. */
export async function readRest<Page extends { readonly next: string | undefined }>(
  pages: Page[],
  readPage: (marker: string | undefined) => Promise<Page>,
): Promise<void> {
  while (pages.length === 0 || pages.at(-1)?.next !== undefined) {
    const page = await readPage(pages.at(-1)?.next);
    const isRepeated = page.next !== undefined && pages.some(({ next }) => next === page.next);
    if (isRepeated || pages.length === pagesMax) throw endless();
    pages.push(page);
  }
}

function endless(): Failure {
  return new Failure('invalid-response', 'a list of OpenStack does not end', {
    remedy: 'check that nothing else answers in place of the service',
  });
}
