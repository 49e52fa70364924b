import { isIP } from 'node:net';
import type { Context } from '../../../lib/context.ts';
import { Failure } from '../../../lib/failure.ts';
import type { VcenterConnection } from '../session.ts';
import { element, readReference, reference } from '../soap/envelope.ts';
import type { ManagedObject } from '../soap/envelope.ts';
import { objectsSpec, retrieveIfPresent, retrieveProperties, viewSpec } from '../soap/properties.ts';
import { childOf, childrenOf } from '../soap/xml.ts';
import { readVm, vmProperties } from '../vm.ts';
import type { VmDescription } from '../vm.ts';

/*
 * The questions to one vCenter. https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/vim.SearchIndex.html
 */

const vmQuery = { type: 'VirtualMachine', paths: vmProperties };

/** All virtual machines of the datacenters; of all that the account can see, if none are named. */
export async function listVms(
  datacenters: readonly string[] | undefined,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly VmDescription[]> {
  const roots = await rootsOf(datacenters, connection, context);
  const vms: VmDescription[] = [];
  for (const root of roots) {
    const view = await viewOf(root, connection, context);
    const found = await retrieveProperties({ ...vmQuery, objects: viewSpec(view) }, connection, context);
    vms.push(...found.flatMap((each) => readVm(each) ?? []));
  }
  return vms;
}

/** The whole vCenter is searched, wherever a machine was moved to. None: there is no virtual machine with this BIOS UUID. */
export async function findByUuid(
  uuid: string,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly VmDescription[]> {
  const parameters = element('uuid', uuid) + element('vmSearch', 'true') + element('instanceUuid', 'false');
  const refs = await search('FindAllByUuid', parameters, connection, context);
  const vms = await describe(refs, connection, context);
  const others = vms.filter((vm) => vm.uuid !== uuid);
  if (vms.length === refs.length && others.length === 0) return vms;
  // It was found, so it is not missing; but what it is cannot be read.
  throw new Failure('denied', `${connection.endpoint.target} found ${uuid}, and did not describe it`, {
    remedy: 'give the account the role Read-only on the virtual machines, with "Propagate to children"',
  });
}

/** By the host name, or the address, that VMware Tools report. */
export async function findByName(
  name: string,
  datacenters: readonly string[] | undefined,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly VmDescription[]> {
  const [method, parameter] = isIP(name) === 0 ? ['FindAllByDnsName', 'dnsName'] : ['FindAllByIp', 'ip'];
  const roots = datacenters === undefined ? [undefined] : await rootsOf(datacenters, connection, context);
  const refs: ManagedObject[] = [];
  for (const root of roots) {
    const place = root === undefined ? '' : reference('datacenter', root);
    const parameters = `${place}${element(parameter, name)}${element('vmSearch', 'true')}`;
    refs.push(...(await search(method, parameters, connection, context)));
  }
  return describe(refs, connection, context);
}

/** Does vCenter say that this very object does not exist? */
export async function isDeletedObject(
  ref: ManagedObject,
  connection: VcenterConnection,
  context: Context,
): Promise<boolean> {
  const query = { type: ref.type, paths: ['name'], objects: objectsSpec([ref]) };
  return 'name' in (await retrieveIfPresent(query, connection, context));
}

/**
 * The roles of the account on the datacenters or on the whole inventory.
 * https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/vim.ManagedEntity.html (effectiveRole)
 */
export async function rolesAtRoots(
  datacenters: readonly string[] | undefined,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly (readonly number[])[]> {
  const roots = await rootsOf(datacenters, connection, context);
  const query = { type: 'ManagedEntity', paths: ['effectiveRole'], objects: objectsSpec(roots) };
  const found = await retrieveProperties(query, connection, context);
  return found.map(({ properties }) =>
    childrenOf(properties.get('effectiveRole'), 'int').map(({ text }) => Number(text)),
  );
}

async function search(
  method: string,
  parameters: string,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly ManagedObject[]> {
  const body = await connection.send({ method, on: connection.content.searchIndex, parameters }, context);
  return childrenOf(body, 'returnval').flatMap((each) => readReference(each) ?? []);
}

async function describe(
  refs: readonly ManagedObject[],
  connection: VcenterConnection,
  context: Context,
): Promise<readonly VmDescription[]> {
  if (refs.length === 0) return [];
  const found = await retrieveProperties({ ...vmQuery, objects: objectsSpec(refs) }, connection, context);
  return found.flatMap((each) => readVm(each) ?? []);
}

async function rootsOf(
  datacenters: readonly string[] | undefined,
  connection: VcenterConnection,
  context: Context,
): Promise<readonly ManagedObject[]> {
  if (datacenters === undefined) return [connection.content.rootFolder];
  const roots: ManagedObject[] = [];
  for (const path of datacenters) roots.push(await datacenterAt(path, connection, context));
  return roots;
}

async function datacenterAt(path: string, connection: VcenterConnection, context: Context): Promise<ManagedObject> {
  const { objects, content, endpoint, send } = connection;
  const key = `datacenter ${path}`;
  const known = objects.get(key);
  if (known !== undefined) return known;
  const parameters = element('inventoryPath', path.replace(/^\//, ''));
  const body = await send({ method: 'FindByInventoryPath', on: content.searchIndex, parameters }, context);
  const found = readReference(childOf(body, 'returnval'));
  if (found?.type !== 'Datacenter') throw noDatacenter(path, endpoint.target);
  objects.set(key, found);
  return found;
}

function noDatacenter(path: string, target: string): Failure {
  return new Failure('misconfigured', `${target} shows no datacenter at ${JSON.stringify(path)}`, {
    remedy: 'correct datacenters in the configuration, or give the account the role Read-only on the datacenter',
  });
}

/** A view stays up to date, and is used for as long as the session lasts. */
async function viewOf(root: ManagedObject, connection: VcenterConnection, context: Context): Promise<ManagedObject> {
  const { objects, content, endpoint, send } = connection;
  const key = `view ${root.id}`;
  const known = objects.get(key);
  if (known !== undefined) return known;
  const parameters = `${reference('container', root)}${element('type', 'VirtualMachine')}${element('recursive', 'true')}`;
  const body = await send({ method: 'CreateContainerView', on: content.viewManager, parameters }, context);
  const view = readReference(childOf(body, 'returnval'));
  if (view === undefined) {
    throw new Failure('invalid-response', `${endpoint.target} made no view of its virtual machines`, {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
    });
  }
  objects.set(key, view);
  return view;
}
