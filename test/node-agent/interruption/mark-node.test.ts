import t from 'tap';
import { decideInterruption } from '../../../node-agent/interruption/decide.ts';
import { markNode } from '../../../node-agent/interruption/mark-node.ts';
import type { MarkResult } from '../../../node-agent/interruption/mark-node.ts';
import type { MarksWriter } from '../../../node-agent/interruption/marks-writer.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { nodeWith } from '../node-object.ts';
import { defaultSettings, notice, nowMs } from './notices.ts';

const spot = notice({ atMs: nowMs + 120_000 });
const decision = decideInterruption([spot], defaultSettings, nowMs);

await t.test(
  'after a conflict it plans again for the newest version, and keeps what the other writer did',
  async (t) => {
    const theirs = { key: 'example.com/theirs', effect: 'NoSchedule' } as const;
    const live: Node = { ...nodeWith({ version: '2' }), spec: { taints: [theirs] } };
    const { result, versions, taints } = await mark({ live, conflicts: 1 });
    t.equal(result.kind, 'marked');
    t.strictSame(versions, ['1', '2']);
    t.equal(taints.at(-1)?.includes(theirs.key), true);
  },
);

await t.test('another Node of this name, or none, is not marked', async (t) => {
  for (const live of [nodeWith({ uid: 'u-2', version: '2' }), undefined]) {
    const { result, versions } = await mark({ live, conflicts: 1 });
    t.equal(result.kind, 'replaced');
    t.strictSame(versions, ['1']);
  }
});

await t.test('it does not fight another writer for ever', async (t) => {
  const { result, versions } = await mark({ live: nodeWith({ version: '2' }), conflicts: Infinity });
  t.equal(result.kind, 'conflict');
  t.equal(versions.length, 5);
});

interface Marking {
  readonly result: MarkResult;
  /** That the patches were for. */
  readonly versions: readonly string[];
  /** The keys in each patch. */
  readonly taints: readonly (readonly string[])[];
}

async function mark(api: { readonly live: Node | undefined; readonly conflicts: number }): Promise<Marking> {
  const [versions, taints]: [string[], string[][]] = [[], []];
  const writer: Pick<MarksWriter, 'read' | 'patch'> = {
    read: () => Promise.resolve(api.live),
    patch: (node, { metadata, spec }) => {
      versions.push(metadata.resourceVersion);
      taints.push((spec?.taints ?? []).map(({ key }) => key));
      return Promise.resolve(versions.length <= api.conflicts ? 'conflict' : node);
    },
  };
  const result = await markNode(nodeWith({}), decision, { notices: [spot] }, writer);
  return { result, versions, taints };
}
