import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { refused } from './agent-permissions.ts';
import type { Caller } from './cluster.ts';

/** The API server takes a moment until it goes by a policy. There have to be the Nodes `own`, the agent's, and `other`. */
export async function waitForPolicies(agent: Caller): Promise<void> {
  const [another] = refused['label another Node'] ?? [];
  const [event] = refused['tell an event of another Node'] ?? [];
  await waitUntil({ what: 'the policies are in force', withinMs: 20_000, everyMs: 100 }, async () => {
    if (another === undefined || event === undefined) throw new Error('the table has other names');
    const answers = [await agent.ask(another), await agent.ask(event)];
    return answers.every(({ status }) => status === 403) ? true : undefined;
  });
}
