import type { LabResponse } from '../cloud.ts';
import { escaped, fault, soapResponse, textIn } from './soap.ts';
import type { LabVm, VcenterState } from './state.ts';

type Method = (body: string, state: VcenterState) => LabResponse;

export function respondToMethod(method: string, body: string, state: VcenterState): LabResponse {
  return Object.hasOwn(methods, method)
    ? (methods[method]?.(body, state) ?? fault('MethodNotFound'))
    : fault('MethodNotFound');
}

const methods: Readonly<Record<string, Method>> = {
  FindAllByUuid: (body, state) => {
    const uuid = textIn(body, 'uuid');
    const found = searchable(state).filter(([, vm]) => vm.uuid === uuid);
    return soapResponse('FindAllByUuid', found.map(([id]) => vmReference('returnval', id)).join(''));
  },
  FindAllByDnsName: (body, state) => {
    const [name, datacenter] = [textIn(body, 'dnsName'), textIn(body, 'datacenter')];
    const found = searchable(state).filter(
      ([, vm]) => vm.hostName === name && (datacenter === undefined || vm.datacenter === datacenter),
    );
    return soapResponse('FindAllByDnsName', found.map(([id]) => vmReference('returnval', id)).join(''));
  },
  FindByInventoryPath: (body) => {
    const path = textIn(body, 'inventoryPath') ?? '';
    const found = /^DC\d$/.test(path) ? `<returnval type="Datacenter">${path}</returnval>` : '';
    return soapResponse('FindByInventoryPath', found);
  },
  CreateContainerView: (body) => {
    const container = textIn(body, 'container') ?? '';
    return soapResponse('CreateContainerView', `<returnval type="ContainerView">view of ${container}</returnval>`);
  },
  RetrievePropertiesEx: (body, state) => retrieve(body, state, 0),
  ContinueRetrievePropertiesEx: (body, state) => {
    const [at = '', ...request] = (textIn(body, 'token') ?? '').split(' ');
    return retrieve(Buffer.from(request.join(' '), 'base64').toString(), state, Number(at));
  },
};

/** The machines that the account can see. */
function visible({ vms, hidden }: VcenterState): readonly (readonly [string, LabVm])[] {
  return Object.entries(vms).filter(([id]) => hidden !== 'all' && !hidden.includes(id));
}

function searchable(state: VcenterState): readonly (readonly [string, LabVm])[] {
  const { leftOutOfSearches } = state;
  return visible(state).filter(([id]) => leftOutOfSearches !== 'all' && !leftOutOfSearches.includes(id));
}

function vmReference(name: string, id: string): string {
  return `<${name} type="VirtualMachine">${id}</${name}>`;
}

function retrieve(body: string, state: VcenterState, from: number): LabResponse {
  const method = from === 0 ? 'RetrievePropertiesEx' : 'ContinueRetrievePropertiesEx';
  const paths = [...body.matchAll(/<pathSet>([^<]*)<\/pathSet>/g)].map(([, path = '']) => path);
  const wanted = wantedObjects(body, state);
  if (wanted === 'deleted') return fault('ManagedObjectNotFound');
  const page = wanted.slice(from, from + state.pageObjects);
  const next = from + state.pageObjects;
  const hasMore = next < wanted.length || state.endless;
  const token = hasMore ? `<token>${state.endless ? 1 : next} ${Buffer.from(body).toString('base64')}</token>` : '';
  const objects = page.map((key) => objectXml(key, paths, state)).join('');
  return soapResponse(method, page.length === 0 && !hasMore ? '' : `<returnval>${token}${objects}</returnval>`);
}

function wantedObjects(body: string, state: VcenterState): readonly string[] | 'deleted' {
  const named = [...body.matchAll(/<obj type="(\w+)">([^<]*)<\/obj>/g)].map(
    ([, type = '', id = '']) => `${type}:${id}`,
  );
  const [view] = named.filter((key) => key.startsWith('ContainerView:'));
  if (view !== undefined) {
    const datacenter = view.replace('ContainerView:view of ', '');
    const listed = visible(state).filter(([id]) => !state.leftOutOfLists.includes(id));
    const inside = listed.filter(([, vm]) => datacenter === 'group-d1' || vm.datacenter === datacenter);
    return inside.map(([id]) => `VirtualMachine:${id}`);
  }
  const isGone = (key: string): boolean => key.startsWith('VirtualMachine:') && !(idOf(key) in state.vms);
  if (named.some(isGone)) return 'deleted';
  return body.includes('<path>parent</path>') ? [...new Set(named.flatMap((key) => wayUp(key, state)))] : named;
}

function wayUp(key: string, state: VcenterState): readonly string[] {
  const parent = parentOf(key, state);
  return parent === undefined ? [key] : [key, ...wayUp(parent, state)];
}

function parentOf(key: string, { parents, vms }: VcenterState): string | undefined {
  return key.startsWith('VirtualMachine:') ? vms[idOf(key)]?.folder : parents[key];
}

function idOf(key: string): string {
  return key.replace(/^\w+:/, '');
}

function objectXml(key: string, paths: readonly string[], state: VcenterState): string {
  const [type = ''] = key.split(':');
  const sets = paths.flatMap((path) => {
    const value = valueOf(path, key, state);
    return value === undefined ? [] : [`<propSet><name>${escaped(path)}</name>${value}</propSet>`];
  });
  return `<objects><obj type="${type}">${idOf(key)}</obj>${sets.join('')}</objects>`;
}

function valueOf(path: string, key: string, state: VcenterState): string | undefined {
  const roles = state.roles.map((role) => `<int>${role}</int>`).join('');
  if (path === 'effectiveRole') return `<val xsi:type="ArrayOfInt">${roles}</val>`;
  if (path === 'parent') return referenceValue(parentOf(key, state));
  const vm = state.vms[idOf(key)];
  const read = Object.hasOwn(vmValues, path) ? vmValues[path] : undefined;
  return vm === undefined ? undefined : read?.(vm);
}

function referenceValue(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  return `<val type="${key.split(':')[0]}" xsi:type="ManagedObjectReference">${idOf(key)}</val>`;
}

function textValue(text: string): string | undefined {
  return text === '' ? undefined : `<val xsi:type="xsd:string">${escaped(text)}</val>`;
}

const vmValues: Readonly<Record<string, (vm: LabVm) => string | undefined>> = {
  name: ({ name }) => textValue(name),
  'summary.config.uuid': ({ uuid }) => textValue(uuid),
  'summary.config.template': ({ isTemplate }) => textValue(String(isTemplate)),
  'summary.config.numCpu': ({ cpuCount }) => textValue(String(cpuCount)),
  'summary.config.memorySizeMB': ({ memoryMb }) => textValue(String(memoryMb)),
  'summary.config.guestId': ({ guestId }) => textValue(guestId),
  'runtime.powerState': ({ powerState }) => textValue(powerState),
  'runtime.connectionState': ({ connectionState }) => textValue(connectionState),
  'runtime.host': ({ host }) => referenceValue(host),
  resourcePool: ({ resourcePool }) => referenceValue(resourcePool),
  'guest.hostName': ({ hostName }) => textValue(hostName),
  'guest.net': ({ nics }) => {
    const each = nics.map(
      ({ network, deviceConfigId, addresses }) =>
        `<GuestNicInfo><network>${escaped(network)}</network>${addresses.map((address) => `<ipAddress>${address}</ipAddress>`).join('')}<deviceConfigId>${deviceConfigId}</deviceConfigId></GuestNicInfo>`,
    );
    return `<val xsi:type="ArrayOfGuestNicInfo">${each.join('')}</val>`;
  },
  'config.extraConfig': ({ extraConfig }) => {
    const each = Object.entries(extraConfig).map(
      ([key, value]) =>
        `<OptionValue><key>${escaped(key)}</key><value xsi:type="xsd:string">${escaped(value)}</value></OptionValue>`,
    );
    return `<val xsi:type="ArrayOfOptionValue">${each.join('')}</val>`;
  },
};
