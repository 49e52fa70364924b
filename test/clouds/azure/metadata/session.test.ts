import t from 'tap';
import { askMetadata } from '../../../../clouds/azure/metadata/session.ts';
import type { Http } from '../../../../lib/http/http.ts';
import { silentLog } from '../../../support/logs.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';

const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AWS: { server: 'EC2ws', 'content-type': 'text/html' },
  Google: { server: 'Metadata Server for VM', 'metadata-flavor': 'Google' },
};

for (const [name, headers] of Object.entries(others)) {
  await t.test(`the metadata service of ${name} is known for what it is, and not waited for`, async (t) => {
    for (const status of [200, 403, 404]) {
      await t.rejects(ask(status, headers), {
        kind: 'misconfigured',
        message: 'what answers at 169.254.169.254 is the metadata service of another cloud',
        remedy: /federation/,
      });
    }
  });
}

await t.test("Azure's own is believed, also while it is being updated", async (t) => {
  t.equal((await ask(404, { server: 'IMDS/150.870.65.1854' })).status, 404);
  t.equal((await ask(410, {})).status, 410);
});

function ask(status: number, headers: Readonly<Record<string, string>>) {
  const http: Http = { send: async () => ({ status, headers, body: Buffer.from('') }) };
  return askMetadata(
    '/metadata/identity/oauth2/token',
    {},
    {
      http,
      signal: new AbortController().signal,
      deadlineAtMs: 50_000,
      clock: createFakeClock(0),
      log: silentLog,
      random: () => 0.5,
    },
  );
}
