import type { Context } from '../../../lib/context.ts';
import type { Secret } from '../../../lib/secret.ts';
import { apiRequest, ask, bodyText } from '../../../lib/http/ask.ts';
import type { HttpRequest } from '../../../lib/http/http.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import { wrongFormat } from '../errors.ts';
import type { SoapFault } from '../errors.ts';
import { envelopeOf, soapAction } from './envelope.ts';
import type { SoapCall } from './envelope.ts';
import { childOf, readSoapXml, textAt } from './xml.ts';
import type { SoapElement } from './xml.ts';

/** A vCenter, and how it is trusted. */
export interface VcenterEndpoint {
  readonly url: URL;
  /** For messages. */
  readonly target: string;
  readonly trust: Pick<HttpRequest, 'trustOnly' | 'certificatePin'>;
}

export type SoapResponse =
  | { readonly is: 'response'; readonly body: SoapElement; readonly cookie: string | undefined }
  | { readonly is: 'fault'; readonly fault: SoapFault };

/** 500 virtual machines have 2 MB. vCenter takes seconds for them. */
const limits = { connectMs: 5_000, totalMs: 20_000, bodyBytes: 64 * 1024 * 1024 };

/** Sends once. Throws a `Failure` for everything but a response or a fault of the API. */
export async function sendCall(
  call: SoapCall,
  { url, target, trust }: VcenterEndpoint,
  cookie: Secret | undefined,
  context: Context,
): Promise<SoapResponse> {
  const headers = {
    'content-type': 'text/xml; charset=utf-8',
    soapaction: soapAction,
    ...(cookie !== undefined && { cookie: `vmware_soap_session=${cookie.reveal()}` }),
  };
  const request = {
    ...apiRequest,
    ...trust,
    limits,
    target,
    method: 'POST',
    url: new URL('/sdk', url),
    headers,
  } as const;
  const response = await ask({ ...request, body: envelopeOf(call) }, context);
  // The API has 500 for its faults.
  if (response.status !== 200 && response.status !== 500) throw statusFailure(target, response, context.clock.wallMs());
  const envelope = readSoapXml(bodyText(response));
  const inside = envelope?.name === 'Envelope' ? childOf(envelope, 'Body') : undefined;
  const fault = childOf(inside, 'Fault');
  if (fault !== undefined) return { is: 'fault', fault: readFault(fault) };
  if (response.status === 500) throw statusFailure(target, response, context.clock.wallMs());
  const body = childOf(inside, `${call.method}Response`);
  if (body === undefined) throw wrongFormat(target, call.method);
  return { is: 'response', body, cookie: sessionCookie(response.headers['set-cookie']) };
}

/** The element of the detail has the name of the fault's type, with `Fault` at its end. */
function readFault(fault: SoapElement): SoapFault {
  const [detail] = childOf(fault, 'detail')?.children ?? [];
  const name = detail?.name.replace(/Fault$/, '') ?? '';
  // Faults of the runtime, such as an expired session, can come without a detail: only the code names them.
  return { name: name === '' ? (textAt(fault, 'faultcode')?.replace(/^.*:/, '') ?? '') : name };
}

/** vCenter has it in quotation marks. */
function sessionCookie(header: string | undefined): string | undefined {
  return /(?:^|,\s*)vmware_soap_session=(?<value>"[^"\s;,]{1,200}"|[^"\s;,]{1,200})/.exec(header ?? '')?.groups?.[
    'value'
  ];
}
