import t from 'tap';
import { detect } from '../../../../clouds/aws/metadata/detect.ts';
import type { Context } from '../../../../lib/context.ts';
import { Failure } from '../../../../lib/failure.ts';
import type { HttpRequest } from '../../../../lib/http/http.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { unusedContext } from '../../contexts.ts';
import { fakeHost } from '../../fake-host.ts';

type Responder = (request: HttpRequest) => { readonly status: number; readonly text: string };
type Firmware = Readonly<Record<string, string>>;

const ours: Responder = ({ method }) => ({ status: 200, text: method === 'PUT' ? 'token' : 'i-0a1b2c3d4e5f60718' });
const nobody: Responder = () => {
  throw new NetworkError('refused', 'ECONNREFUSED');
};
const notFound: Responder = () => ({ status: 404, text: '' });
const broken: Responder = () => ({ status: 500, text: '' });
const page: Responder = () => ({ status: 200, text: '<html>' });
const otherIds: Responder = ({ method }) => ({ status: 200, text: method === 'PUT' ? 'token' : '4711' });

const nitro = { sys_vendor: 'Amazon EC2\n', board_asset_tag: 'i-0a1b2c3d4e5f60718\n' };
const xen = { sys_vendor: 'Xen\n', bios_version: '4.11.amazon\n' };
const google = { sys_vendor: 'Google\n', board_asset_tag: '8A0C\n' };

const rows: readonly (readonly [what: string, firmware: Firmware, answer: Responder, expected: string])[] = [
  ['a Nitro machine, whatever the service does', nitro, nobody, 'yes'],
  ['a Xen machine of AWS', xen, broken, 'yes'],
  ['bare metal of AWS', { bios_vendor: 'Amazon EC2\n' }, nobody, 'yes'],
  ['no firmware to read, and the service answers', {}, ours, 'yes'],
  ['no firmware to read, and no response', {}, nobody, 'unknown'],
  ['no firmware to read, and it has no sessions', {}, notFound, 'unknown'],
  ['no firmware to read, and it fails', {}, broken, 'unknown'],
  ['no firmware to read, and something odd answers', {}, page, 'unknown'],
  ['no firmware to read, and other ids', {}, otherIds, 'unknown'],
  ['another vendor, and no response', google, nobody, 'no'],
  ['another vendor, and its own service answers', google, notFound, 'no'],
  ['another vendor, with ids of its own', google, otherIds, 'no'],
  ['a Xen machine of another vendor', { sys_vendor: 'Xen', bios_version: '4.17' }, nobody, 'no'],
  ['another vendor, and yet the service answers', google, ours, 'yes'],
];
for (const [what, firmware, answer, expected] of rows) {
  await t.test(`${what}: ${expected}`, async (t) => {
    t.equal(await detect({ env: {}, host: hostWith(firmware) }, contextWith(answer)), expected);
  });
}

await t.test('unreadable firmware proves nothing', async (t) => {
  const host = { readText: async () => Promise.reject(new Failure('misconfigured', 'EACCES', { remedy: 'none' })) };
  t.equal(await detect({ env: {}, host }, contextWith(nobody)), 'unknown');
  t.equal(await detect({ env: {}, host }, contextWith(ours)), 'yes');
});

await t.test('if requests are disabled, none is sent, and that proves nothing', async (t) => {
  const env = { AWS_EC2_METADATA_DISABLED: 'true' };
  t.equal(await detect({ env, host: fakeHost({}) }, unusedContext), 'unknown');
  t.equal(await detect({ env, host: hostWith(nitro) }, unusedContext), 'yes');
});

function hostWith(firmware: Firmware): ReturnType<typeof fakeHost> {
  const files = Object.entries(firmware).map(([name, text]) => [`/sys/class/dmi/id/${name}`, text] as const);
  return fakeHost(Object.fromEntries(files));
}

function contextWith(respond: Responder): Context {
  const http: Context['http'] = {
    send: async (request) => {
      const { status, text } = respond(request);
      return { status, headers: {}, body: Buffer.from(text) };
    },
  };
  // Every sleep ends at once.
  const clock = { ...createFakeClock(0), sleep: () => Promise.resolve() };
  return { ...unusedContext, http, clock };
}
