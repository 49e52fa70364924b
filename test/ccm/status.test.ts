import t from 'tap';
import { explanationJson, explanationText } from '../../ccm/explain.ts';
import { statusText } from '../../ccm/status.ts';
import { knownNode, startHarness, withLabel } from './node-controller/harness.ts';

const forged = 'toy://here/i-1\nscope: deletions are confirmed\u202e\u001b[2K';

await t.test('text of a Node stays on its line of /statusz', async (t) => {
  const { api, controller, advance } = startHarness();
  api.put(knownNode({ name: 'foreign', providerId: forged.replace('toy', 'elsewhere') }));
  api.put(withLabel(knownNode({ name: 'given-away' }), 'polycloud.dev/cloud', 'one\nleading'));
  api.put(knownNode({ name: 'missing', ready: false, providerId: forged }));
  await advance(1_000);
  const lines = statusText(controller, undefined).split('\n');
  t.strictSame(
    lines.map((line) => line.split(' ')[0]),
    ['leading,', 'nodes:', 'foreign:', 'given-away:', 'missing:', ''],
  );
  t.match(lines[2], /elsewhere:\/\/here\/i-1\\u000ascope: .*\\u202e\\u001b\[2K/);
});

await t.test('text of a Node stays on its line of explain', async (t) => {
  const explanation = {
    node: 'a',
    ownership: `foreign: providerID ${forged} belongs to none of toy`,
    scopes: [forged],
    finding: `gone, not-found: ${forged}`,
    condition: forged,
    isKnown: true,
    changes: [forged],
    wouldWrite: { labels: { forged } },
    deletion: { reason: forged, rules: [`- ${forged}`] },
  };
  const lines = explanationText(explanation).split('\n');
  t.strictSame(
    lines.map((line) => line.trim().split(' ')[0]),
    ['node', 'owner:', 'asked', 'the', 'the', 'to', 'toy://here/i-1\\u000ascope:', 'deletion:', '-', ''],
  );
  for (const text of [...lines, explanationJson(explanation).trimEnd()]) t.notMatch(text, /\p{C}/u);
  t.strictSame(JSON.parse(explanationJson(explanation)), explanation, 'as JSON it means the same');
});

await t.test('explain has a line for each change, or says that there is none', (t) => {
  const explanation = { node: 'a', ownership: 'ours', scopes: [], isKnown: true };
  const changes = ['set label a=b', 'remove taint c:NoSchedule'];
  t.match(
    explanationText({ ...explanation, changes }),
    /\n {2}to write:\n {4}set label a=b\n {4}remove taint c:NoSchedule\n/,
  );
  t.match(explanationText({ ...explanation, changes: [] }), /\n {2}to write: nothing, the Node matches its instance\n/);
  t.end();
});
