import type { DemoOutput } from './demo-output.ts';
import { programImages } from './helm/program-images.ts';
import type { LabNode } from './node/lab-node.ts';
import { openStory, storyImages } from './story/story.ts';

/** One node from its first boot to its end. */
export async function showStory(node: LabNode<'aws'>, { chapter, say, show }: DemoOutput): Promise<void> {
  say(`A machine at AWS has booted, with kubelet and containerd; its Node was there after ${secondsOf(node.bootMs)}.`);
  const images = await programImages(storyImages);
  const story = await openStory(node, images.files);
  try {
    for (const { title, run } of story.steps) {
      const startedAtMs = performance.now();
      chapter(`${title.charAt(0).toUpperCase()}${title.slice(1)}:`);
      show((await run()).map(shortened).join('\n'));
      say(`after ${secondsOf(performance.now() - startedAtMs)}`);
    }
  } finally {
    await story.stop();
    await images.remove();
  }
}

const maxCharacters = 220;

function shortened(line: string): string {
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters)} …`;
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
