import t from 'tap';
import { createScopeIndex } from '../../../clouds/aws/instances/scopes.ts';
import type { Instances } from '../../../clouds/cloud.ts';
import { namesInstance, whyForeign, whyUnmanaged } from '../../../node-agent/node-sync/ownership.ts';
import { nodeWith } from '../node-object.ts';
import { instance } from './harness.ts';

const { scopesOf: route } = createScopeIndex({ scopes: [] }, {});
const notCalled = async (): Promise<never> => Promise.reject(new Error('not asked for here'));
const instances: Instances = { scopesOf: route, batchMax: 1, lookUp: notCalled, verifyAccess: notCalled };
const metadata = { detect: notCalled, describe: notCalled };
const aws = { name: 'aws', metadata, instances };
const key = 'polycloud.dev/cloud';

await t.test('a Node that its label excludes', (t) => {
  t.match(whyUnmanaged(nodeWith({ labels: { [key]: 'false' } })), /is false/);
  t.equal(whyUnmanaged(nodeWith({ labels: { [key]: 'aws' } })), undefined);
  t.end();
});

await t.test('a Node of a cloud whose machines only the controller can describe', (t) => {
  const why = /vsphere has no instance metadata; the controller/;
  t.match(whyUnmanaged(nodeWith({ providerID: 'vsphere://423e10c5-4a2b-7c1d-9a3e-1f2b3c4d5e6f' })), why);
  t.match(whyUnmanaged(nodeWith({ labels: { [key]: 'vsphere' } })), why);
  t.equal(whyUnmanaged(nodeWith({ labels: { [key]: 'aws' }, providerID: 'vsphere://x' })), undefined, 'the label wins');
  t.end();
});

await t.test('a Node of another cloud', (t) => {
  t.equal(whyForeign(nodeWith({}), aws), undefined);
  t.equal(whyForeign(nodeWith({ labels: { [key]: 'aws' }, providerID: instance.providerId }), aws), undefined);
  t.match(whyForeign(nodeWith({ labels: { [key]: 'static' } }), aws), /assigns it to static/);
  t.match(whyForeign(nodeWith({ providerID: 'gce://project/zone/node' }), aws), /gce.* is not one of aws/);
  t.equal(whyForeign(nodeWith({ providerID: 'x://y' }), { name: 'x', metadata, instances: undefined }), undefined);
  t.end();
});

const own = 'i-0a1b2c3d4e5f60718';
const spellings: readonly (readonly [providerID: string | undefined, isSame: boolean])[] = [
  [undefined, true],
  ['', true],
  [`aws:///us-west-2b/${own}`, true],
  [`aws:////${own}`, true],
  [`aws:///${own}`, true],
  [own, true],
  [`AWS:///us-west-2b/${own}`, true],
  [`aws:///us-west-2a/${own}`, false],
  ['aws:///us-west-2b/i-0000000000000dead', false],
  [`aws:///more/us-west-2b/${own}`, false],
];
for (const [providerID, isSame] of spellings) {
  await t.test(`${providerID ?? 'no providerID'} names ${isSame ? 'the' : 'another'} instance`, (t) => {
    t.equal(namesInstance(nodeWith(providerID === undefined ? {} : { providerID }), instance), isSame);
    t.end();
  });
}
