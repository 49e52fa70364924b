import type { LabResponse } from '../cloud.ts';

const namespaces =
  'xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const headers = { 'content-type': 'text/xml; charset=utf-8' };

export function soapResponse(method: string, inside: string): LabResponse {
  return envelope(200, `<${method}Response xmlns="urn:vim25">${inside}</${method}Response>`);
}

/** As vCenter answers: 500, and the name of the fault's type in the detail. */
export function fault(name: string): LabResponse {
  const detail = `<detail><${name}Fault xmlns="urn:vim25" xsi:type="${name}"></${name}Fault></detail>`;
  const text = '<faultcode>ServerFaultCode</faultcode><faultstring>it did not work</faultstring>';
  return envelope(500, `<soapenv:Fault>${text}${detail}</soapenv:Fault>`);
}

function envelope(status: number, inside: string): LabResponse {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope ${namespaces}><soapenv:Body>${inside}</soapenv:Body></soapenv:Envelope>`;
  return { status, headers, body };
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${String(character.codePointAt(0))};`);
}

/** Of the first element of this name in a request. */
export function textIn(body: string, name: string): string | undefined {
  return new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(body)?.[1];
}
