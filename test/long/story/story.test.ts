import t from 'tap';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { imageSupport, programImages } from '../../lab/helm/program-images.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { requires } from '../../lab/requires.ts';
import { bootEmptyNode } from '../../lab/story/empty-node.ts';
import { openStory, storyImages } from '../../lab/story/story.ts';

const missing = [await nodeSupport(), await findHelm(), imageSupport()].find(({ available }) => !available);

t.setTimeout(600_000);

await t.test('from an empty node to a deleted Node', requires(missing ?? { available: true }), async (t) => {
  const images = await programImages(storyImages);
  t.teardown(images.remove);
  const node = await bootEmptyNode();
  t.teardown(async () => {
    if (t.passing()) return node.stop();
    await node.stopAndKeepLogs();
    process.stderr.write(`${t.fullname} failed: the logs of node and control plane are in ${node.logDirectory}\n`);
  });
  const story = await openStory(node, images.files);
  t.teardown(story.stop);
  for (const { title, run } of story.steps) {
    // Each step needs the ones before it.
    await t.test(title, { bail: true }, async (t) => {
      const lines = await run();
      t.ok(lines.length > 0 && lines.every((line) => line !== ''), 'it is in a log');
      t.notOk(showsSecret(lines.join('\n')));
      for (const line of lines) t.comment(line);
    });
  }
});
