import type { CloudTraits } from '../../clouds/index.ts';

/** A name in another alphabet; addresses that never leave the machine or belong to a metadata service, in any notation. */
const neverRegistry =
  /(?:^|\.)xn--|^169\.254\.|^127\.|^localhost$|^168\.63\.129\.16$|^100\.100\.100\.200$|^0|\.0\d|\.internal$/;

/** Does the host resemble a registry or a metadata service of a cloud? Then it never gets a login for another host. */
export function resemblesRegistry(host: string, clouds: readonly CloudTraits[]): boolean {
  return [neverRegistry, ...clouds.flatMap(({ lookAlikeHosts }) => lookAlikeHosts)].some((p) => p.test(host));
}
