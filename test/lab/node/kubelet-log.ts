import { readFile } from 'node:fs/promises';

/** The kubelet's log lines about a credential provider's call for an image. They have the image without its tag. */
export async function pluginLines(logFile: string, image: string): Promise<readonly string[]> {
  const repository = image.replace(/:[^/]*$/, '');
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  return lines.filter((line) => words.test(line) && line.includes(repository));
}

const words = /credential provider plugin|Failed to provide credentials/;
