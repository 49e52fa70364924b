import type { MachineResource } from '../provider-id.ts';
import type { ResourceError } from './resource-manager.ts';

/**
 * Is this Azure's response for a machine that does not exist? A missing resource group or subscription has other codes.
 *
 * - `ResourceNotFound`: the virtual machine, in the recorded responses of cloud-provider-azure
 *   (pkg/azclient/virtualmachineclient/testdata).
 * - `ParentResourceNotFound`: its scale set. https://github.com/kubernetes/kubernetes/issues/95288
 * - `NotFound`: the provider's own code, for instance "The entity was not found in this Azure location."
 *   https://github.com/openshift/openshift-azure/issues/1540
 * - HTTP 400 with `InvalidParameter`: what the scale set says of a number that it does not have.
 *   https://github.com/microsoft/onefuzz/issues/2547
 */
export function isMissing({ status, code, message }: ResourceError, { scaleSet, name }: MachineResource): boolean {
  if (status === 404) return notFoundCodes.has(code);
  const number = inactiveNumber.exec(message)?.groups?.['number'];
  return code === 'InvalidParameter' && scaleSet !== undefined && number === name;
}

const notFoundCodes = new Set(['ResourceNotFound', 'ParentResourceNotFound', 'NotFound']);
const inactiveNumber =
  /^The provided instanceId (?<number>\d+) is not an active Virtual Machine Scale Set VM instanceId/;
