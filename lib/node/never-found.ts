import { Failure } from '../failure.ts';

/**
 * A cloud answers the same about an instance that does not exist and about one that the credentials cannot see. So it only
 * counts for a Node with the label that it got when its instance was found.
 */
export function neverFound(nodeName: string, instance: string, label: string): Failure {
  return new Failure(
    'misconfigured',
    `${nodeName} has no label ${label}, which it gets when its ${instance} is found: the ${instance} may be one that these credentials cannot see`,
    { remedy: `if the ${instance} is gone, delete the Node; if not, let the credentials see it` },
  );
}
