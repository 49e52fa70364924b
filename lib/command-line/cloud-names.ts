import type { Capability, CloudTraits } from '../../clouds/cloud.ts';
import { Failure } from '../failure.ts';

/** A cloud on a command line, by its name or one of its other names. The program needs its `capability`. */
export function readCloudName(
  flag: string,
  text: string,
  capability: Capability,
  clouds: readonly CloudTraits[],
): string {
  const cloud = clouds.find(({ name, aliases }) => name === text || aliases.includes(text));
  if (cloud?.capabilities.includes(capability) === true) return cloud.name;
  const supported = clouds.filter(({ capabilities }) => capabilities.includes(capability));
  const why = cloud === undefined ? 'is not a known cloud' : 'is not supported yet';
  throw new Failure('misconfigured', `${flag} names ${JSON.stringify(text.slice(0, 40))}, which ${why}`, {
    remedy: `supported: ${supported.map(({ name }) => name).join(', ')}`,
  });
}

/** Several clouds, separated by commas. A cloud that is named twice counts once. */
export function readCloudNames(
  flag: string,
  text: string,
  capability: Capability,
  clouds: readonly CloudTraits[],
): readonly string[] {
  const parts = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  if (parts.length > 0) return [...new Set(parts.map((part) => readCloudName(flag, part, capability, clouds)))];
  throw new Failure('misconfigured', `${flag} names no cloud`, { remedy: 'give it, for example aws,static' });
}
