import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { wrongFormat } from '../errors.ts';
import type { SoapFault } from '../errors.ts';
import type { VcenterConnection } from '../session.ts';
import { element, readReference, reference } from './envelope.ts';
import type { ManagedObject } from './envelope.ts';
import { childOf, childrenOf, textAt } from './xml.ts';
import type { SoapElement } from './xml.ts';

/**
 * Which properties of which objects.
 * https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/vmodl.query.PropertyCollector.html
 */
export interface PropertyQuery {
  readonly type: string;
  readonly paths: readonly string[];
  /** XML of the object specifications. */
  readonly objects: string;
}

/** An object with those of its properties that are set and may be read. */
export interface ObjectProperties {
  readonly ref: ManagedObject;
  readonly properties: ReadonlyMap<string, SoapElement>;
}

const pageObjects = 500;
/** More virtual machines than a vCenter can have: 40,000. https://configmax.broadcom.com */
const pagesMax = 200;

/** All pages of the response. */
export async function retrieveProperties(
  query: PropertyQuery,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly ObjectProperties[]> {
  const found = await retrieveExpecting('', query, connection, context);
  if ('name' in found) throw wrongFormat(connection.endpoint.target, 'RetrievePropertiesEx');
  return found;
}

/** As above, or `ManagedObjectNotFound`: one of the objects does not exist. */
export async function retrieveIfPresent(
  query: PropertyQuery,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly ObjectProperties[] | SoapFault> {
  return retrieveExpecting('ManagedObjectNotFound', query, connection, context);
}

async function retrieveExpecting(
  fault: string,
  { type, paths, objects }: PropertyQuery,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly ObjectProperties[] | SoapFault> {
  const { content, endpoint, send, sendExpecting } = connection;
  const on = content.propertyCollector;
  const propSet = `<propSet>${element('type', type)}${paths.map((path) => element('pathSet', path)).join('')}</propSet>`;
  const parameters = `<specSet>${propSet}${objects}</specSet><options>${element('maxObjects', String(pageObjects))}</options>`;
  const first = await sendExpecting(fault, { method: 'RetrievePropertiesEx', on, parameters }, context);
  if (!('children' in first)) return first;
  const pages = [readPage(first)];
  for (let token = pages[0]?.token; token !== undefined; token = pages.at(-1)?.token) {
    if (pages.length >= pagesMax) throw endless(endpoint.target);
    const call = { method: 'ContinueRetrievePropertiesEx', on, parameters: element('token', token) };
    pages.push(readPage(await send(call, context)));
  }
  return pages.flatMap((page) => page.objects);
}

interface PropertyPage {
  readonly objects: readonly ObjectProperties[];
  readonly token: string | undefined;
}

/** Without a `returnval` there are no objects. */
function readPage(body: SoapElement): PropertyPage {
  const result = childOf(body, 'returnval');
  return { objects: childrenOf(result, 'objects').flatMap(readObject), token: textAt(result, 'token') };
}

function readObject(found: SoapElement): readonly ObjectProperties[] {
  const ref = readReference(childOf(found, 'obj'));
  if (ref === undefined) return [];
  const entries = childrenOf(found, 'propSet').flatMap((each) => {
    const [name, value] = [textAt(each, 'name'), childOf(each, 'val')];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return [{ ref, properties: new Map(entries) }];
}

function endless(target: string): Failure {
  return new Failure('invalid-response', `the list of objects of ${target} does not end`, {
    remedy: 'check that nothing else answers in its place',
  });
}

/** These objects. */
export function objectsSpec(refs: readonly ManagedObject[]): string {
  return refs.map((ref) => `<objectSet>${reference('obj', ref)}<skip>false</skip></objectSet>`).join('');
}

/** What the view holds. */
export function viewSpec(view: ManagedObject): string {
  const path = '<type>ContainerView</type><path>view</path><skip>false</skip>';
  return `<objectSet>${reference('obj', view)}<skip>true</skip><selectSet xsi:type="TraversalSpec">${path}</selectSet></objectSet>`;
}

/** These objects, and what they are in, up to the root. */
export function ancestorsSpec(refs: readonly ManagedObject[]): string {
  const up =
    '<selectSet xsi:type="TraversalSpec"><name>up</name><type>ManagedEntity</type><path>parent</path><skip>false</skip>' +
    '<selectSet><name>up</name></selectSet></selectSet>';
  return refs.map((ref) => `<objectSet>${reference('obj', ref)}<skip>false</skip>${up}</objectSet>`).join('');
}
