/** Takes bytes as they arrive and returns the completed lines. */
export type LineSplitter = (chunk: Uint8Array) => readonly string[];

const newline = 0x0a;

/**
 * Splits bytes and decodes whole lines, so that a character that was split between two chunks is complete. An unfinished
 * line is not returned, and a line that is too long throws.
 */
export function createLineSplitter(largestLineBytes: number, tooLong: () => Error): LineSplitter {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const hold = (part: Uint8Array): void => {
    heldBytes += part.length;
    if (heldBytes > largestLineBytes) throw tooLong();
    held.push(part);
  };
  const release = (): string => {
    const line = Buffer.concat(held, heldBytes).toString('utf8');
    held = [];
    heldBytes = 0;
    return line;
  };
  return (chunk) => {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      hold(chunk.subarray(start, end));
      lines.push(release());
      start = end + 1;
    }
    if (start < chunk.length) hold(chunk.subarray(start));
    return lines;
  };
}
