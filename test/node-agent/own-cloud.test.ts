import t from 'tap';
import { cloudsWith } from '../../clouds/index.ts';
import type { CloudRuntime } from '../../clouds/index.ts';
import type { Context } from '../../lib/context.ts';
import { systemClock } from '../../lib/clock.ts';
import { parseConfigFile } from '../../lib/config/parse-config.ts';
import { createHttp } from '../../lib/http/create-http.ts';
import { chooseCandidates } from '../../node-agent/candidates.ts';
import { detectCloud } from '../../node-agent/detect.ts';
import type { CloudCandidate } from '../../node-agent/detect.ts';
import { fakeHost } from '../clouds/fake-host.ts';
import { embeddedClouds } from '../lab/clouds/embedded.ts';
import type { EmbeddedName } from '../lab/clouds/embedded.ts';
import { runOnLoopback } from '../lab/clouds/loopback.ts';
import { silentLog } from '../support/logs.ts';

interface Machine {
  readonly cloud: EmbeddedName;
  readonly service: string;
  readonly firmware: Readonly<Record<string, string>>;
}

const machines: readonly Machine[] = [
  { cloud: 'aws', service: 'imds', firmware: { sys_vendor: 'Amazon EC2\n', board_asset_tag: 'i-0123456789abcdef0\n' } },
  {
    cloud: 'azure',
    service: 'imds',
    firmware: { sys_vendor: 'Microsoft Corporation\n', chassis_asset_tag: '7783-7084-3265-9085-8269-3286-77\n' },
  },
  { cloud: 'gcp', service: 'metadata', firmware: { sys_vendor: 'Google\n', product_name: 'Google Compute Engine\n' } },
];

for (const { cloud, service, firmware } of machines) {
  await t.test(`a machine of ${cloud}`, async (t) => {
    const definition = embeddedClouds[cloud];
    const lab = await runOnLoopback<object>(definition, { plain: Object.keys(definition.services) });
    t.teardown(lab.stop);
    const url = lab.url(service);
    const withFirmware = candidatesOn(url, firmware);
    const withoutFirmware = candidatesOn(url, {});

    t.equal((await detectCloud(withFirmware, context())).name, cloud);
    for (const candidate of withFirmware) {
      t.equal(await detect(candidate), candidate.name === cloud ? 'yes' : 'no', `${candidate.name}, asked alone`);
    }
    for (const candidate of withoutFirmware) {
      const expected = candidate.name === cloud ? 'yes' : 'unknown';
      t.equal(await detect(candidate), expected, `${candidate.name}, without a text of the firmware`);
    }
  });
}

/** Every cloud's metadata service is at the same address, so each of them asks the one that is there. */
function candidatesOn(metadataUrl: string, firmware: Machine['firmware']): readonly CloudCandidate[] {
  const texts = Object.entries(firmware).map(([name, text]) => [`/sys/class/dmi/id/${name}`, text] as const);
  const env = {
    AWS_EC2_METADATA_SERVICE_ENDPOINT: metadataUrl,
    AZURE_POD_IDENTITY_AUTHORITY_HOST: metadataUrl,
    GCE_METADATA_HOST: new URL(metadataUrl).host,
  };
  const runtime: CloudRuntime = { env, host: fakeHost(Object.fromEntries(texts)) };
  const flags = { cloudName: undefined, detectClouds: cloudsWith('metadata').filter((name) => name !== 'static') };
  return chooseCandidates(flags, runtime, parseConfigFile('', '/config.yaml')).possible;
}

async function detect({ load }: CloudCandidate): Promise<string | undefined> {
  const { metadata } = await load();
  return metadata?.detect(context());
}

function context(): Context {
  return {
    signal: new AbortController().signal,
    deadlineAtMs: systemClock.monotonicMs() + 20_000,
    http: createHttp({ proxies: { no: '' }, allAuthorities: () => [] }),
    clock: systemClock,
    log: silentLog,
    random: Math.random,
  };
}
