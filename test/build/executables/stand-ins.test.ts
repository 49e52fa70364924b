import t from 'tap';
import { ServiceClient } from '../../../build/executables/stand-ins/azure-core-client.ts';
import { createClientLogger, getLogLevel } from '../../../build/executables/stand-ins/azure-logger.ts';
import {
  createHttpHeaders,
  createPipelineRequest,
  retryPolicy,
} from '../../../build/executables/stand-ins/azure-rest-pipeline.ts';
import { defaultProvider } from '../../../build/executables/stand-ins/credential-provider-node.ts';
import { NodeHttpHandler, streamCollector } from '../../../build/executables/stand-ins/node-http-handler.ts';
import open from '../../../build/executables/stand-ins/open.ts';

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

await t.test('credentials of Azure have the transport that they were given, and no other', async (t) => {
  const sendRequest = async (request: unknown): Promise<unknown> => Promise.resolve([request]);
  t.same(await new ServiceClient({ httpClient: { sendRequest } }).sendRequest('question'), ['question']);
  t.throws(() => new ServiceClient({}), /made without a transport/);
  t.throws(retryPolicy, /no pipeline of the Azure SDK/);
  t.strictSame(createPipelineRequest({ url: 'x' }), { url: 'x' });
  t.strictSame(createHttpHeaders({ a: 'b' }).toJSON(), { a: 'b' });
  await t.rejects(open(), /opens no browser/);
});

await t.test('the log of the Azure SDK says nothing, and is of no level', (t) => {
  t.doesNotThrow(() => {
    createClientLogger().info();
  });
  const getLevel: () => unknown = getLogLevel;
  t.equal(getLevel(), undefined);
  t.end();
});
