import { unknownHosts } from './hosts.ts';
import { mutateText, mutateValue } from './mutate.ts';
import { secretText, word } from './odd-values.ts';
import type { Random } from '../../support/random.ts';

export function dockerConfig(random: Random): string {
  const auths = Object.fromEntries(
    Array.from({ length: random.between(0, 5) }, () => [dockerKey(random), dockerEntry(random)]),
  );
  const config = { auths, ...(random.chance(0.2) && { credHelpers: { [dockerKey(random)]: 'helper' } }) };
  const text = JSON.stringify(config);
  return random.pickWeighted<() => string>([
    [12, () => text],
    [2, () => JSON.stringify(mutateValue(random, config))],
    [1, () => mutateText(random, text)],
  ])();
}

function dockerKey(random: Random): string {
  const host = random.pick(unknownHosts);
  return random.pickWeighted<() => string>([
    [8, () => host],
    [2, () => `${host}/${word(random)}`],
    [1, () => `https://${host}/v1/`],
    [1, () => 'https://index.docker.io/v1/'],
    [1, () => host.replace(/^[a-z0-9]+/, '*')],
    [1, () => `${'*'.repeat(random.between(1, 60))}x`],
    [1, () => `https://robot:${secretText(random, '', 20)}@${host}/`],
    [1, () => mutateText(random, host)],
  ])();
}

function dockerEntry(random: Random): object {
  const password = secretText(random, '', random.between(12, 60));
  const auth = Buffer.from(`robot:${password}`).toString('base64');
  return random.pickWeighted<object>([
    [8, { auth }],
    [3, { username: 'robot', password }],
    [1, { auth: Buffer.from('robot:').toString('base64'), identitytoken: password }],
    [1, { identitytoken: password }],
    [1, { auth: mutateText(random, auth) }],
    [1, {}],
  ]);
}
