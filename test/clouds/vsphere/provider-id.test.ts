import t from 'tap';
import { bothForms, formatProviderId, parseProviderId, swapByteOrder } from '../../../clouds/vsphere/provider-id.ts';

const uuid = '422e4956-ad22-1139-6d72-59cc8f26bc90';

await t.test('a providerID is the scheme and the BIOS UUID, in any case', (t) => {
  t.strictSame(parseProviderId(`vsphere://${uuid}`), { is: 'instance', uuid });
  t.strictSame(parseProviderId(`vsphere://${uuid.toUpperCase()}`), { is: 'instance', uuid });
  t.equal(formatProviderId(uuid), `vsphere://${uuid}`);
  t.end();
});

await t.test('what has the scheme and no UUID is unreadable, and another scheme is foreign', (t) => {
  for (const text of ['', 'node-1', `${uuid}0`, uuid.slice(1), `/${uuid}`, uuid.replaceAll('-', '')]) {
    t.strictSame(parseProviderId(`vsphere://${text}`), { is: 'unreadable' }, text);
  }
  t.strictSame(parseProviderId(`vsphere:${uuid}`), { is: 'unreadable' });
  for (const text of ['', uuid, 'aws:///us-west-2a/i-0123456789abcdef0', `vspherex://${uuid}`]) {
    t.strictSame(parseProviderId(text), { is: 'foreign' }, text);
  }
  t.end();
});

await t.test('the other byte order is that of the system UUID in the comment of cloud-provider-vsphere', (t) => {
  t.equal(swapByteOrder(uuid), '56492e42-22ad-3911-6d72-59cc8f26bc90');
  t.equal(swapByteOrder(swapByteOrder(uuid)), uuid);
  t.strictSame(bothForms('00000000-1111-2222-3333-444444444444'), ['00000000-1111-2222-3333-444444444444']);
  t.end();
});
