import { readReference } from './envelope.ts';
import type { ManagedObject, SoapCall } from './envelope.ts';
import { childOf } from './xml.ts';
import type { SoapElement } from './xml.ts';

/** The objects that the other calls are made on. */
export interface ServiceContent {
  readonly rootFolder: ManagedObject;
  readonly propertyCollector: ManagedObject;
  readonly viewManager: ManagedObject;
  readonly sessionManager: ManagedObject;
  readonly searchIndex: ManagedObject;
}

/** Needs no session. https://developer.broadcom.com/xapis/vsphere-web-services-api/latest/vim.ServiceInstance.html */
export const serviceContentCall: SoapCall = {
  method: 'RetrieveServiceContent',
  on: { type: 'ServiceInstance', id: 'ServiceInstance' },
  parameters: '',
};

/** `undefined`: it is no such response. */
export function readServiceContent(body: SoapElement): ServiceContent | undefined {
  const found = childOf(body, 'returnval');
  const [rootFolder, propertyCollector, viewManager, sessionManager, searchIndex] = [
    'rootFolder',
    'propertyCollector',
    'viewManager',
    'sessionManager',
    'searchIndex',
  ].map((name) => readReference(childOf(found, name)));
  if (!rootFolder || !propertyCollector || !viewManager || !sessionManager || !searchIndex) return undefined;
  return { rootFolder, propertyCollector, viewManager, sessionManager, searchIndex };
}
