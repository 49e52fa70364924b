import { randomUUID } from 'node:crypto';
import type { LabRequest, LabResponse } from '../cloud.ts';
import type { VcenterState } from './state.ts';

interface RestState extends Omit<VcenterState, 'restSessions'> {
  restSessions: readonly string[];
}

/** Sessions and tags of the REST API. The id of a tag or category is its name, as a URN. */
export function respondToRest({ method, path, headers, body }: LabRequest, state: RestState): LabResponse {
  if (method === 'POST' && path === '/rest/com/vmware/cis/session') return logIn(headers['authorization'], state);
  if (!state.restSessions.includes(headers['vmware-api-session-id'] ?? '')) return error(401, 'unauthenticated');
  if (path === '/rest/com/vmware/cis/tagging/tag-association?~action=list-attached-tags-on-objects') {
    return json(200, { value: attached(body, state) });
  }
  return named(path);
}

function named(path: string): LabResponse {
  const [, kind, id = ''] = /^\/rest\/com\/vmware\/cis\/tagging\/(tag|category)\/id:(.+)$/.exec(path) ?? [];
  const [category = '', name = ''] = decodeURIComponent(id).replace('urn:', '').split('/');
  if (kind === undefined) return error(404, 'not_found');
  const ofKind = kind === 'tag' ? { name, category_id: `urn:${category}` } : { name: category };
  return json(200, { value: { id: decodeURIComponent(id), ...ofKind } });
}

function logIn(authorization: string | undefined, state: RestState): LabResponse {
  const expected = `Basic ${Buffer.from(`${state.username}:${state.password}`).toString('base64')}`;
  if (authorization !== expected) return error(401, 'unauthenticated');
  const id = randomUUID();
  state.restSessions = [...state.restSessions, id];
  return json(200, { value: id });
}

function attached(body: string, { tags }: RestState): readonly object[] {
  const { object_ids: objects } = JSON.parse(body) as { object_ids: readonly { id: string; type: string }[] };
  return objects.flatMap((object) => {
    const own = tags[`${object.type}:${object.id}`] ?? [];
    return own.length === 0
      ? []
      : [{ object_id: object, tag_ids: own.map(({ category, name }) => `urn:${category}/${name}`) }];
  });
}

function json(status: number, value: object): LabResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function error(status: number, type: string): LabResponse {
  return json(status, { type: `com.vmware.vapi.std.errors.${type}`, value: { messages: [] } });
}
