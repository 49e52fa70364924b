import type { SoapElement } from './xml.ts';

/** A reference to a managed object, e.g. of type `VirtualMachine` with the id `vm-42`. */
export interface ManagedObject {
  readonly type: string;
  readonly id: string;
}

/** A method of the vSphere Web Services API, on one of its objects. */
export interface SoapCall {
  readonly method: string;
  readonly on: ManagedObject;
  /** XML of the parameters, in the order of the WSDL. */
  readonly parameters: string;
}

/** The API version of vSphere 6.5, which every later one understands. */
export const soapAction = 'urn:vim25/6.5';

export function envelopeOf({ method, on, parameters }: SoapCall): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<Body><${method} xmlns="urn:vim25">${reference('_this', on)}${parameters}</${method}></Body></Envelope>`
  );
}

export function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

export function reference(name: string, { type, id }: ManagedObject): string {
  return `<${name} type="${escapeXml(type)}">${escapeXml(id)}</${name}>`;
}

/** Characters that XML cannot have at all are left out. */
function escapeXml(text: string): string {
  const allowed = text.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
  return allowed.replaceAll(/[&<>"'\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** `undefined`: the element is no reference. */
export function readReference(found: SoapElement | undefined): ManagedObject | undefined {
  const id = found?.text.trim();
  if (found?.type === undefined || id === undefined || id === '') return undefined;
  return { type: found.type, id };
}

export function keyOfObject({ type, id }: ManagedObject): string {
  return `${type}:${id}`;
}
