import t from 'tap';
import { parseInstance, parseInstancePage } from '../../../../clouds/gcp/instances/parse.ts';
import { instanceDocument } from '../../../lab/clouds/gcp/compute-documents.ts';
import { computeFleetOf } from '../../../lab/clouds/gcp/compute-instance.ts';

const project = 'lab-project';
const [instance] = Object.values(computeFleetOf({ count: 1, project, zones: ['us-central1-a'], number: 0 }));
if (instance === undefined) throw new Error('a fleet of one has one instance');
const document = instanceDocument(instance);
const kind = 'compute#instanceAggregatedList';

await t.test('an instance', (t) => {
  t.strictSame(parseInstance(document, project), {
    project,
    zone: 'us-central1-a',
    name: 'node-0',
    instanceId: '4520031799277000000',
    machineType: 'e2-standard-4',
    status: 'RUNNING',
    interfaces: [{ internal: ['10.0.0.0'], external: [], aliasRanges: [] }],
  });
  t.end();
});

const invalid: Readonly<Record<string, unknown>> = {
  'another kind': { ...document, kind: 'compute#disk' },
  'an id that a double has changed': { ...document, id: 4_520_031_799_277_000_000 },
  'an id that is no number': { ...document, id: '0x1' },
  'no zone': { ...document, zone: undefined },
  'a zone that is none': { ...document, zone: 'https://www.googleapis.com/compute/v1/projects/p/zones/../x' },
  'a name with a slash': { ...document, name: 'a/b' },
  'no status': { ...document, status: undefined },
  'a machine type that is none': { ...document, machineType: 'zones/us-central1-a/machineTypes/a b' },
  'an address that is none': { ...document, networkInterfaces: [{ networkIP: '10.0.0' }] },
  'an error': { error: { code: 503 } },
  nothing: undefined,
};
for (const [what, json] of Object.entries(invalid)) {
  await t.test(`no instance: ${what}`, (t) => {
    t.equal(parseInstance(json, project), undefined);
    t.end();
  });
}

await t.test('an instance that cannot be read hides no other', (t) => {
  const items = { 'zones/us-central1-a': { instances: [{ name: 'x' }, document] } };
  t.match(parseInstancePage({ kind, items }, project), { instances: { length: 1, 0: { name: 'node-0' } } });
  t.end();
});

for (const json of [undefined, {}, [], { items: {} }, { kind: 'compute#instance' }, { error: { code: 503 } }]) {
  await t.test(`no list: ${JSON.stringify(json)}`, (t) => {
    t.equal(parseInstancePage(json, project), undefined);
    t.end();
  });
}

const zone = 'zones/us-central1-b';
const url = `https://www.googleapis.com/compute/v1/projects/p/${zone}`;
const rows: readonly (readonly [what: string, page: object, unread: readonly string[] | 'all'])[] = [
  ['nothing', {}, []],
  ['zones without instances', { items: { [zone]: { warning: { code: 'NO_RESULTS_ON_PAGE' } } } }, []],
  ['no results at all', { warning: { code: 'NO_RESULTS_ON_PAGE' } }, []],
  ['a zone', { unreachables: [zone] }, ['us-central1-b']],
  ['a zone by its URL', { unreachables: [url] }, ['us-central1-b']],
  ['a zone, and the whole', { unreachables: [url], warning: { code: 'PARTIAL_SUCCESS' } }, ['us-central1-b']],
  ['a region', { unreachables: ['regions/us-central1'] }, 'all'],
  ['a zone and a region', { unreachables: [zone, 'regions/us-central1'] }, 'all'],
  ['a zone by a warning', { items: { [zone]: { warning: { code: 'UNREACHABLE' } } } }, ['us-central1-b']],
  ['a zone by a new warning', { items: { [zone]: { warning: { code: 'NEW' } } } }, ['us-central1-b']],
  ['a zone by a warning without a code', { items: { [zone]: { warning: {} } } }, ['us-central1-b']],
  ['something global', { items: { global: { warning: { code: 'UNREACHABLE' } } } }, 'all'],
  ['the whole', { warning: { code: 'UNREACHABLE' } }, 'all'],
];
for (const [what, page, unread] of rows) {
  await t.test(`could not be read: ${what}`, (t) => {
    const found = parseInstancePage({ kind, ...page }, project)?.unread;
    t.strictSame(found === undefined || found === 'all' ? found : [...found], unread);
    t.end();
  });
}
