import { durationFlag, switchFlag, textFlag } from '../../lib/command-line/flag-values.ts';
import type { FlagValues } from '../../lib/command-line/flag-values.ts';
import { Failure } from '../../lib/failure.ts';
import { parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import type { RouteSettings } from './state.ts';

const minPeriodMs = 1_000;

/** `undefined`: no routes are kept. Without it the other flags have no effect, so that a manifest can keep them. */
export function readRouteFlags(
  given: FlagValues,
): Pick<RouteSettings, 'clusterCidrs' | 'routeReconciliationPeriodMs'> | undefined {
  if (!switchFlag(given, '--configure-cloud-routes', false)) return undefined;
  const routeReconciliationPeriodMs = durationFlag(given, '--route-reconciliation-period', 10_000);
  if (routeReconciliationPeriodMs < minPeriodMs) {
    throw new Failure('misconfigured', '--route-reconciliation-period is shorter than 1s', {
      remedy: 'leave it out, or give a longer one',
    });
  }
  return { clusterCidrs: readClusterCidrs(textFlag(given, '--cluster-cidr', '')), routeReconciliationPeriodMs };
}

/** As upstream: one range, or one of each family. */
function readClusterCidrs(text: string): readonly Cidr[] {
  const parts = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  const cidrs = parts.map(parseCidr);
  const isValid = cidrs.length === new Set(cidrs.map((cidr) => cidr?.family)).size && !cidrs.includes(undefined);
  if (isValid && cidrs.length > 0) return cidrs.filter((cidr) => cidr !== undefined);
  const problem = parts.length === 0 ? 'needs --cluster-cidr' : 'needs another --cluster-cidr';
  throw new Failure('misconfigured', `--configure-cloud-routes ${problem}`, {
    remedy: 'give the range of all pod CIDRs such as 10.244.0.0/16, or one of each IP family separated by a comma',
  });
}
