import * as z from 'zod/mini';
import type { Context } from '../../../lib/context.ts';
import { apiRequest, ask, bodyJson } from '../../../lib/http/ask.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import { Secret } from '../../../lib/secret.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { wrongFormat } from '../errors.ts';
import type { VcenterConnection } from '../session.ts';
import { keyOfObject } from '../soap/envelope.ts';
import type { ManagedObject } from '../soap/envelope.ts';

/** What the tags of an object, or of what it is in, name. */
export interface PlaceTags {
  readonly zone?: string;
  readonly region?: string;
}

/** Reads tags, by `keyOfObject`. Objects without such a tag are left out. */
export interface TagReader {
  read(
    objects: readonly ManagedObject[],
    connection: VcenterConnection,
    context: Context,
  ): Promise<ReadonlyMap<string, PlaceTags>>;
}

/** https://developer.broadcom.com/xapis/vsphere-automation-api/latest/cis/ (tagging, session) */
const SessionId = z.object({ value: z.string().check(z.regex(/^[\w.:-]{1,300}$/)) });
const Attached = z.object({
  value: z.array(z.object({ object_id: z.object({ id: z.string(), type: z.string() }), tag_ids: z.array(z.string()) })),
});
const TagResponse = z.object({ value: z.object({ name: z.string(), category_id: z.string() }) });
const Category = z.object({ value: z.object({ name: z.string() }) });

/** Names of tags and categories change rarely. What is attached to an object is always read. */
const namesKeptMs = 10 * 60_000;

type Names<T> = Map<string, { readonly value: T; readonly untilMs: number }>;

interface Tag {
  readonly name: string;
  readonly categoryId: string;
}

interface NamedTag {
  readonly name: string;
  readonly category: string;
}

/** Only the REST API has tags. Its session is another one, and is kept for as long as that of the connection. */
export function createTagReader(categories: VsphereConfig['tagCategories']): TagReader {
  const names: { readonly tags: Names<Tag>; readonly categories: Names<string> } = {
    tags: new Map(),
    categories: new Map(),
  };
  const clients = new WeakMap<VcenterConnection, RestClient>();
  return {
    read: async (objects, connection, context) => {
      const client = clients.get(connection) ?? createRestClient(connection);
      clients.set(connection, client);
      const object_ids = objects.map(({ type, id }) => ({ type, id }));
      const path = '/tag-association?~action=list-attached-tags-on-objects';
      const attached = Attached.safeParse(await client.send(path, { object_ids }, context));
      if (!attached.success) throw wrongFormat(connection.endpoint.target, 'the request for tags');
      const ids = attached.data.value.flatMap(({ tag_ids }) => tag_ids);
      const tags = await readNames(ids, (id) => readTag(id, client, context), names.tags, context);
      const categoryIds = [...tags.values()].map(({ categoryId }) => categoryId);
      const categoryNames = await readNames(
        categoryIds,
        (id) => readCategory(id, client, context),
        names.categories,
        context,
      );
      const places = new Map<string, PlaceTags>();
      for (const { object_id: object, tag_ids: tagIds } of attached.data.value) {
        const named = tagIds.flatMap((id) => {
          const tag = tags.get(id);
          return tag === undefined ? [] : [{ name: tag.name, category: categoryNames.get(tag.categoryId) ?? '' }];
        });
        const place = namedPlace(named, categories);
        if (Object.keys(place).length > 0) places.set(keyOfObject(object), place);
      }
      return places;
    },
  };
}

function namedPlace(tags: readonly NamedTag[], { zone, region }: VsphereConfig['tagCategories']): PlaceTags {
  const named = (category: string | undefined): string | undefined =>
    category === undefined ? undefined : tags.find((tag) => tag.category === category)?.name;
  const [zoneName, regionName] = [named(zone), named(region)];
  return { ...(zoneName !== undefined && { zone: zoneName }), ...(regionName !== undefined && { region: regionName }) };
}

/** One after the other, each once: the public API has no request for the names of several. */
async function readNames<T>(
  ids: readonly string[],
  read: (id: string) => Promise<T>,
  names: Names<T>,
  { clock }: Context,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const id of new Set(ids)) {
    const known = names.get(id);
    const isFresh = known !== undefined && clock.monotonicMs() < known.untilMs;
    const value = isFresh ? known.value : await read(id);
    if (!isFresh) names.set(id, { value, untilMs: clock.monotonicMs() + namesKeptMs });
    found.set(id, value);
  }
  return found;
}

async function readTag(id: string, client: RestClient, context: Context): Promise<Tag> {
  const tag = TagResponse.safeParse(await client.send(`/tag/id:${encodeURIComponent(id)}`, undefined, context));
  if (!tag.success) throw wrongFormat(client.target, 'the request for a tag');
  return { name: tag.data.value.name, categoryId: tag.data.value.category_id };
}

async function readCategory(id: string, client: RestClient, context: Context): Promise<string> {
  const category = Category.safeParse(await client.send(`/category/id:${encodeURIComponent(id)}`, undefined, context));
  if (!category.success) throw wrongFormat(client.target, 'the request for a category');
  return category.data.value.name;
}

interface RestClient {
  readonly target: string;
  /** With a body: POST. Logs in if it has to, and once more if the session has ended. */
  send(path: string, body: object | undefined, context: Context): Promise<unknown>;
}

function createRestClient({ endpoint, credentials }: VcenterConnection): RestClient {
  const { target, url, trust } = endpoint;
  let sessionId: Secret | undefined;

  async function request(
    path: string,
    body: object | undefined,
    headers: Headers,
    context: Context,
  ): Promise<HttpResponse> {
    const method = body === undefined ? ('GET' as const) : ('POST' as const);
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const all = { accept: 'application/json', 'content-type': 'application/json', ...headers };
    return ask({ ...apiRequest, ...trust, ...json, target, method, url: new URL(path, url), headers: all }, context);
  }

  async function logIn(context: Context): Promise<Secret> {
    const basic = Buffer.from(`${credentials.username}:${credentials.password.reveal()}`).toString('base64');
    const response = await request('/rest/com/vmware/cis/session', {}, { authorization: `Basic ${basic}` }, context);
    if (response.status !== 200) throw statusFailure(target, response, context.clock.wallMs());
    const parsed = SessionId.safeParse(bodyJson(response, target));
    if (!parsed.success) throw wrongFormat(target, 'the login to the REST API');
    return new Secret(parsed.data.value);
  }

  return {
    target,
    send: async (path, body, context) => {
      const attempt = async (id: Secret): Promise<HttpResponse> =>
        request(`/rest/com/vmware/cis/tagging${path}`, body, { 'vmware-api-session-id': id.reveal() }, context);
      const kept = sessionId;
      const first = kept === undefined ? undefined : await attempt(kept);
      if (first === undefined || first.status === 401) sessionId = await logIn(context);
      const response = first !== undefined && first.status !== 401 ? first : await attempt(sessionId ?? new Secret(''));
      if (response.status !== 200) throw statusFailure(target, response, context.clock.wallMs());
      return bodyJson(response, target);
    },
  };
}

type Headers = Readonly<Record<string, string>>;
