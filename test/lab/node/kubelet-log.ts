import { readFile } from 'node:fs/promises';

/** The lines in which the kubelet says what became of a plugin's call for an image, which stands there without its tag. */
export async function pluginLines(logFile: string, image: string): Promise<readonly string[]> {
  const repository = image.replace(/:[^/]*$/, '');
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  return lines.filter((line) => words.test(line) && line.includes(repository));
}

const words = /credential provider plugin|Failed to provide credentials/;
