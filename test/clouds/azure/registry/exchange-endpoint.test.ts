import t from 'tap';
import { parseChallenge } from '../../../../clouds/azure/registry/exchange-endpoint.ts';

const realm = 'https://acme.azurecr.io/oauth2/token';
const service = 'acme.azurecr.io';

for (const header of [
  `Bearer realm="${realm}",service="${service}"`,
  `bearer service="${service}", realm="${realm}"`,
  `Bearer realm=${realm},service=${service}`,
  `Bearer realm="${realm}",service=${service}`,
  `Bearer realm="${realm}",service="${service}",scope="repository:app:pull",error="invalid_token"`,
  `Basic realm="${service}", Bearer realm="${realm}",service="${service}"`,
  `Bearer realm="${realm}",service="${service}", Basic realm="evil.example"`,
  `Bearer  REALM = "${realm}" , Service = "${service}"`,
]) {
  await t.test(`read: ${header}`, (t) => {
    t.strictSame(parseChallenge(header), { realm, service });
    t.end();
  });
}

for (const header of [
  '',
  'Bearer',
  'Bearer ',
  `Basic realm="${realm}",service="${service}"`,
  `NotBearer realm="${realm}",service="${service}"`,
  `Bearer realm="${realm}"`,
  `Bearer service="${service}"`,
  'Bearer realm="",service=""',
  'Bearer realm="https://acme',
  `Bearer ${'a='.repeat(20_000)}`,
  `Bearer ${'"'.repeat(20_000)}`,
]) {
  await t.test(`no challenge of ours: ${header.slice(0, 40)}`, (t) => {
    t.equal(parseChallenge(header), undefined);
    t.end();
  });
}
