import { randomUUID } from 'node:crypto';
import type { CloudDefinition, LabRequest, LabResponse, LabService } from '../cloud.ts';
import { respondToRest } from './rest.ts';
import { respondToMethod } from './methods.ts';
import { fault, soapResponse } from './soap.ts';
import { initialVsphereState } from './state.ts';
import type { VcenterState, VsphereState } from './state.ts';

/**
 * Two vCenters, of which there is what the controller asks. govmomi's simulator is closer to the real one
 * (test/long/vsphere); this one has faults that the simulator cannot show.
 */
export const vsphere: CloudDefinition<VsphereState> = {
  name: 'vsphere',
  initialState: initialVsphereState,
  services: { a: vcenter('a'), b: vcenter('b') },
};

function vcenter(key: keyof VsphereState): LabService<VsphereState> {
  return {
    // The proxy in front of a vCenter limits requests: https://knowledge.broadcom.com/external/article?articleNumber=313454
    throttled: { status: 503, headers: {}, body: 'no healthy upstream' },
    respond: (request, state) => {
      // The state is plain JSON that belongs to the lab, so that it can keep sessions.
      const own = state[key] as { -readonly [Key in keyof VcenterState]: VcenterState[Key] };
      if (request.path.startsWith('/rest/')) return respondToRest(request, own);
      return request.method === 'POST' && request.path === '/sdk' ? respond(request, own) : notFound;
    },
  };
}

const notFound: LabResponse = { status: 404, headers: {}, body: '' };

type MutableVcenter = { -readonly [Key in keyof VcenterState]: VcenterState[Key] };

function respond({ body, headers }: LabRequest, state: MutableVcenter): LabResponse {
  const method = /<Body><(\w+) /.exec(body)?.[1] ?? '';
  if (state.fault !== '') return fault(state.fault);
  if (method === 'RetrieveServiceContent') return soapResponse(method, serviceContent);
  if (method === 'Login') return logIn(body, state);
  const session = state.sessions.find((id) => headers['cookie']?.includes(`vmware_soap_session="${id}"`));
  if (session === undefined) return withoutSession(method, body);
  if (method !== 'Logout') return respondToMethod(method, body, state);
  state.sessions = state.sessions.filter((each) => each !== session);
  return soapResponse(method, '');
}

/** Without a session the PropertyCollector answers, and leaves all properties out. As govmomi's simulator does. */
function withoutSession(method: string, body: string): LabResponse {
  if (method !== 'RetrievePropertiesEx') return fault('NotAuthenticated');
  const [, type = '', id = ''] = /<obj type="(\w+)">([^<]*)<\/obj>/.exec(body) ?? [];
  const reason = '<fault><fault xsi:type="NotAuthenticated"></fault><localizedMessage></localizedMessage></fault>';
  const missing = `<missingSet><path>parent</path>${reason}</missingSet>`;
  return soapResponse(
    'RetrievePropertiesEx',
    `<returnval><objects><obj type="${type}">${id}</obj>${missing}</objects></returnval>`,
  );
}

function logIn(body: string, state: MutableVcenter): LabResponse {
  const isRight = body.includes(`<userName>${state.username}</userName><password>${state.password}</password>`);
  if (!isRight) return fault('InvalidLogin');
  const id = randomUUID();
  state.sessions = [...state.sessions, id];
  const response = soapResponse('Login', '<returnval><key>1</key></returnval>');
  return {
    ...response,
    headers: { ...response.headers, 'set-cookie': `vmware_soap_session="${id}"; Path=/; HttpOnly` },
  };
}

const serviceContent =
  '<returnval><rootFolder type="Folder">group-d1</rootFolder>' +
  '<propertyCollector type="PropertyCollector">propertyCollector</propertyCollector>' +
  '<viewManager type="ViewManager">ViewManager</viewManager>' +
  '<sessionManager type="SessionManager">SessionManager</sessionManager>' +
  '<searchIndex type="SearchIndex">SearchIndex</searchIndex></returnval>';
