import type { Context } from '../../../lib/context.ts';
import type { VcenterConnection, VcenterSession } from '../../../clouds/vsphere/session.ts';
import { element } from '../../../clouds/vsphere/soap/envelope.ts';
import type { ManagedObject } from '../../../clouds/vsphere/soap/envelope.ts';
import { childOf } from '../../../clouds/vsphere/soap/xml.ts';
import { listVms } from '../../../clouds/vsphere/instances/inventory.ts';
import type { VmDescription } from '../../../clouds/vsphere/vm.ts';

/** What an administrator does in a vCenter. */
export interface VcenterOperations {
  vms(): Promise<readonly VmDescription[]>;
  powerOff(vm: ManagedObject): Promise<void>;
  /** Also powers it off first. */
  destroy(vm: ManagedObject): Promise<void>;
  setUuid(vm: ManagedObject, uuid: string): Promise<void>;
  /** What VMware Tools report. */
  setGuest(vm: ManagedObject, guest: { readonly hostName: string; readonly ipAddress: string }): Promise<void>;
  /** All but the administrator's own. */
  endSessions(): Promise<void>;
}

export function administer(session: VcenterSession, context: Context): VcenterOperations {
  const run = <T>(work: (connection: VcenterConnection) => Promise<T>): Promise<T> => session.run(work, context);

  async function task(on: ManagedObject, method: string, parameters = ''): Promise<void> {
    await run((connection) => connection.send({ method, on, parameters }, context));
  }

  return {
    vms: () => run((connection) => listVms(undefined, connection, context)),
    powerOff: (vm) => task(vm, 'PowerOffVM_Task'),
    destroy: async (vm) => {
      await task(vm, 'PowerOffVM_Task').catch(() => {});
      await task(vm, 'Destroy_Task');
    },
    setUuid: (vm, uuid) => task(vm, 'ReconfigVM_Task', `<spec>${element('uuid', uuid)}</spec>`),
    setGuest: (vm, guest) => {
      const options = Object.entries(guest).map(
        ([name, value]) =>
          `<extraConfig>${element('key', `SET.guest.${name}`)}<value xmlns:xsd="http://www.w3.org/2001/XMLSchema" xsi:type="xsd:string">${value}</value></extraConfig>`,
      );
      return task(vm, 'ReconfigVM_Task', `<spec>${options.join('')}</spec>`);
    },
    endSessions: () =>
      run(async (connection) => {
        const { sessionManager } = connection.content;
        const own = await sessionKeys('currentSession', connection, context);
        const all = await sessionKeys('sessionList', connection, context);
        const others = all.filter((key) => !own.includes(key));
        const parameters = others.map((key) => element('sessionId', key)).join('');
        await connection.send({ method: 'TerminateSession', on: sessionManager, parameters }, context);
      }),
  };
}

async function sessionKeys(
  path: string,
  { content, send }: VcenterConnection,
  context: Context,
): Promise<readonly string[]> {
  const on = content.propertyCollector;
  const set = `<propSet><type>SessionManager</type>${element('pathSet', path)}</propSet>`;
  const object = `<objectSet><obj type="SessionManager">${content.sessionManager.id}</obj></objectSet>`;
  const parameters = `<specSet>${set}${object}</specSet><options/>`;
  const body = await send({ method: 'RetrievePropertiesEx', on, parameters }, context);
  const value = childOf(childOf(childOf(childOf(body, 'returnval'), 'objects'), 'propSet'), 'val');
  const own = value === undefined ? [] : [value];
  const sessions = path === 'sessionList' ? (value?.children ?? []) : own;
  return sessions.flatMap((each) => childOf(each, 'key')?.text ?? []);
}
