import t from 'tap';
import { defaultProvider } from '../../build/stand-ins/credential-provider-node.ts';
import { readFile } from '../../build/stand-ins/fs-promises.ts';
import { NodeHttpHandler, streamCollector } from '../../build/stand-ins/node-http-handler.ts';
import { crc32 } from '../../build/stand-ins/zlib.ts';

await t.test('a client without credentials does not go and look for some', async (t) => {
  await t.rejects(defaultProvider()(), /was not told whose credentials it uses/);
});

await t.test('a client has the transport that it was given, and no other', (t) => {
  const transport = { handle: () => undefined };
  t.equal(NodeHttpHandler.create(transport), transport);
  t.throws(() => NodeHttpHandler.create({}), /made without a transport/);
  t.throws(streamCollector, /left a body unread/);
  t.end();
});

await t.test('the two of Node do what they are called for', async (t) => {
  t.equal(crc32(Buffer.from('123456789')), 0xcbf43926);
  t.match(await readFile('package.json', 'utf8'), /"name": "polycloud"/);
});
