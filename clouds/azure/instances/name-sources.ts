import { NamedMachine, NamedScaleSet } from '../schemas.ts';
import type { ListSource } from './kept-lists.ts';
import { keeping, readAll } from './resource-list.ts';
import { computeVersion } from './resource-manager.ts';

/** What shows which Nodes the machines of one place are. */
export interface ListedNames {
  readonly machines: readonly NamedMachine[];
  readonly scaleSets: readonly NamedScaleSet[];
}

const query = { 'api-version': computeVersion };

/** The machines of uniform scale sets are not among them. */
export function namesInSubscription(subscriptionId: string): ListSource<ListedNames> {
  const compute = `/subscriptions/${subscriptionId}/providers/Microsoft.Compute`;
  return {
    key: compute.toLowerCase(),
    open: (manager) => {
      const machines = manager.openList(`${compute}/virtualMachines`, query, keeping(NamedMachine));
      const scaleSets = manager.openList(`${compute}/virtualMachineScaleSets`, query, keeping(NamedScaleSet));
      return async (context) => {
        await readAll([machines, scaleSets], context);
        return { machines: machines.resources, scaleSets: scaleSets.resources };
      };
    },
  };
}

export function namesInScaleSet(id: string): ListSource<ListedNames> {
  return {
    key: id.toLowerCase(),
    open: (manager) => {
      const machines = manager.openList(`${id}/virtualMachines`, query, keeping(NamedMachine));
      return async (context) => {
        await machines.readRest(context);
        return { machines: machines.resources, scaleSets: [] };
      };
    },
  };
}
