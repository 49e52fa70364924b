import { styleText } from 'node:util';

/** Gives a word of the output its colour. */
export type Paint = (colour: 'red' | 'green' | 'yellow', text: string) => string;

export const plain: Paint = (_colour, text) => text;

/** Colours for a person at a terminal. Files, pipes and `NO_COLOR` get none. */
export function terminalPaint(): Paint {
  const { stdout } = process;
  return stdout.isTTY ? (colour, text) => styleText(colour, text, { stream: stdout }) : plain;
}
