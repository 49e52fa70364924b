import { program as controller } from '../../ccm/program.ts';
import { upstreamFlags as controllerFlags } from '../../ccm/upstream-flags.ts';
import type { ProgramDescription } from '../../lib/command-line/program-description.ts';
import type { UpstreamFlags } from '../../lib/command-line/upstream-flags.ts';
import { upstreamServerFlags } from '../../lib/server/upstream-flags.ts';
import { program as agent } from '../../node-agent/program.ts';
import { upstreamFlags as agentFlags } from '../../node-agent/upstream-flags.ts';

/** What becomes of the flags of the vendors' programs, from the tables that the programs decide by. */
export function upstreamFlagsPage(): string {
  const isShared = (group: UpstreamFlags): boolean => upstreamServerFlags.includes(group);
  return `# Flags of the vendors' programs

<!-- Made by build/docs/upstream-flags-page.ts from ccm/upstream-flags.ts and node-agent/upstream-flags.ts. -->

\`polycloud-ccm\` accepts the command line of a cloud controller manager on \`k8s.io/cloud-provider\`, and the agent that of
Azure's \`cloud-node-manager\`. A test holds the flags of these programs and requires a decision for each:
\`aws-cloud-controller-manager\` v1.37.0, \`cloud-controller-manager\` and \`cloud-node-manager\` of cloud-provider-azure
v1.32.4, \`cloud-controller-manager\` of cloud-provider-gcp (August 2026), and flags that they had before.

- **The same flag** is in \`--help\`. [The controller's guide](../guides/ccm.md#differences-from-upstreams-flags) lists
  where it differs.
- **No effect**: the flag is accepted. The log has one line for it, \`This flag has no effect\`, with the reason.
- **Refused**: the program ends with exit code 2 and names each such flag and what replaces it.

A switch takes \`--flag\`, \`--flag=true\`, \`--flag=1\` and the other values of Go. Of a flag that is given twice, the last
value counts, and of a list all values. A flag without effect can have an empty value. \`-v2\`, \`-v=2\`, \`-v 2\` and \`--v=2\` are the same. Names are written with
hyphens: like the programs above, these refuse \`--leader_elect\`.

## Controller

${section(
  controller,
  controllerFlags.filter((group) => !isShared(group)),
)}

## Agent

${section(
  agent,
  agentFlags.filter((group) => !isShared(group)),
)}

## Both

${decisions(upstreamServerFlags)}
`;
}

function section({ options }: ProgramDescription, groups: readonly UpstreamFlags[]): string {
  const same = options.map(({ flag }) => `\`${flag}\``).toSorted();
  return `Its own flags: ${same.join(', ')}.\n\n${decisions(groups)}`;
}

function decisions(groups: readonly UpstreamFlags[]): string {
  const refused = groups.flatMap((group) => (group.refused === undefined ? [] : [refusedItem(group, group.refused)]));
  const ignored = groups
    .filter((group) => group.refused === undefined)
    .map((group) => `- ${names(group)}: ${group.why}.`);
  return `Refused:\n\n${refused.join('\n')}\n\nNo effect:\n\n${ignored.join('\n')}`;
}

function refusedItem(group: UpstreamFlags, { unless = [], instead }: NonNullable<UpstreamFlags['refused']>): string {
  const except = unless.length === 0 ? '' : `, except for ${unless.map((value) => `\`${value}\``).join(', ')}`;
  return `- ${names(group)}${except}: ${group.why}. Instead: ${instead}.`;
}

function names({ flags }: UpstreamFlags): string {
  return flags.map((flag) => `\`${flag.split(' ')[0] ?? ''}\``).join(', ');
}
