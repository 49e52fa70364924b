import t from 'tap';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { plainServer, startMetadataLab } from './metadata-lab.ts';

const { lab, detect, sent } = await startMetadataLab(t);

const nova = { sys_vendor: 'OpenStack Foundation\n', product_name: 'OpenStack Nova\n' };
const redHat = { sys_vendor: 'Red Hat\n', product_name: 'OpenStack Compute\n' };
const sap = { sys_vendor: 'VMware, Inc.\n', chassis_asset_tag: 'SAP CCloud VM\n' };
const huawei = { ...nova, chassis_asset_tag: 'HUAWEICLOUD\n' };
const oracle = { sys_vendor: 'QEMU\n', chassis_asset_tag: 'OracleCloud.com\n' };
const qemu = { sys_vendor: 'QEMU\n' };
const amazon = { sys_vendor: 'Amazon EC2\n' };

const down: Fault = { service: 'metadata', kind: 'refuse' };
const ofHuawei = JSON.stringify({
  uuid: plainServer.uuid,
  availability_zone: 'eu-west-101a',
  region_id: 'eu-west-101',
  instance_type: 's6.large.2',
});
const answers = (body: string): Fault => ({ service: 'metadata', kind: 'status', status: 200, body });
const refuses = (status: number): Fault => ({ service: 'metadata', kind: 'status', status });

const rows: ReadonlyArray<
  readonly [what: string, firmware: Readonly<Record<string, string>>, fault: Fault | undefined, expected: string]
> = [
  ['Nova’s product, and its metadata', nova, undefined, 'yes'],
  ['Red Hat’s product, and its metadata', redHat, undefined, 'yes'],
  ['no firmware text, and Nova’s metadata', {}, undefined, 'yes'],
  ['another vendor, and Nova’s metadata', qemu, undefined, 'yes'],
  ['Nova’s product, and no response', nova, down, 'unknown'],
  ['the tag of a cloud that runs Nova, and no response', sap, down, 'unknown'],
  ['Nova’s product, and a page of another server', nova, answers('<html>'), 'unknown'],
  ['no firmware text, and no response', {}, down, 'unknown'],
  ['no firmware text, and no such document, as on AWS', {}, refuses(404), 'unknown'],
  ['no firmware text, and a refusal, as on AWS with version 2 only', {}, refuses(401), 'unknown'],
  ['AWS, and no such document', amazon, refuses(404), 'no'],
  ['another vendor, and no response', qemu, down, 'no'],
  ['Huawei’s tag, whatever the service does', huawei, undefined, 'no'],
  ['Nova’s product, and Huawei’s metadata', nova, answers(ofHuawei), 'no'],
  ['no firmware text, and Huawei’s metadata', {}, answers(ofHuawei), 'no'],
  ['Oracle’s tag, whatever the service does', oracle, undefined, 'no'],
  ['Nova’s product, and an id that is none of Nova', nova, answers('{"uuid":"ocid1.instance.oc1"}'), 'no'],
];
for (const [what, firmware, fault, expected] of rows) {
  await t.test(`${what}: ${expected}`, async (t) => {
    if (fault !== undefined) await lab.addFault(fault);
    const files = Object.entries(firmware).map(([name, text]) => [`/sys/class/dmi/id/${name}`, text] as const);
    t.equal(await detect({ files: Object.fromEntries(files) }), expected);
  });
}

await t.test('a config drive is enough', async (t) => {
  await lab.addFault(down);
  const files = { '/mnt/config/openstack/latest/meta_data.json': JSON.stringify({ uuid: plainServer.uuid }) };
  t.equal(await detect({ files, config: { configDrive: '/mnt/config' } }), 'yes');
  t.strictSame(sent, []);
});

await t.test('a service that is throttled for a moment is another attempt’s matter', async (t) => {
  await lab.addFault({ service: 'metadata', kind: 'throttle', count: 1 });
  t.equal(await detect({}), 'unknown');
  t.equal(await detect({}), 'yes');
});
