import t from 'tap';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { startAzureLab } from '../azure-lab.ts';

const { lab, cloud, context } = await startAzureLab(t);
const tag = { chassis_asset_tag: '7783-7084-3265-9085-8269-3286-77\n' };
const hyperV = { sys_vendor: 'Microsoft Corporation\n' };
const down: Fault = { service: 'imds', kind: 'refuse' };
const otherCloud: Fault = { service: 'imds', kind: 'status', status: 200, headers: { server: 'EC2ws' } };

const machines: readonly (readonly [
  what: string,
  firmware: Readonly<Record<string, string>>,
  fault: Fault | undefined,
  is: string,
])[] = [
  ["Azure's tag, and no response", { ...hyperV, ...tag }, down, 'yes'],
  ['no firmware text, and a response', {}, undefined, 'yes'],
  ['Hyper-V elsewhere, and no response', hyperV, down, 'no'],
  ['another vendor, and no response', { sys_vendor: 'Amazon EC2\n' }, down, 'no'],
  ['no firmware text and no response', {}, down, 'unknown'],
  ['no firmware text, and the service of another cloud', {}, otherCloud, 'unknown'],
  ['no firmware text, and another document', {}, { service: 'imds', kind: 'garbage' }, 'unknown'],
];
for (const [what, firmware, fault, is] of machines) {
  await t.test(`${what}: ${is}`, async (t) => {
    if (fault !== undefined) await lab.addFault(fault);
    const texts = Object.entries(firmware).map(([name, text]) => [`/sys/class/dmi/id/${name}`, text] as const);
    t.equal(await cloud({ files: Object.fromEntries(texts) }).metadata?.detect(context()), is);
  });
}
