import { randomBytes } from 'node:crypto';

/** Stands in every secret that the lab gives out, so that whatever was printed can be searched for one. */
export const secretMarker = 'LABSECRET';

/** The marker as it may be seen: in clear, and inside base64 at each of the three places it can fall on. */
const secretForms: readonly string[] = [secretMarker, ...[0, 1, 2].map(markerInBase64)];

export function showsSecret(text: string): boolean {
  return secretForms.some((trace) => text.includes(trace));
}

/** A value like a cloud's own: its usual beginning, the marker, then as many random characters as are missing. */
export function markedSecret(beginning: string, length: number): string {
  const start = `${beginning}${secretMarker}`;
  return `${start}${randomBytes(length).toString('base64url').replaceAll(/[-_]/g, 'x')}`.slice(0, length);
}

/** Only the characters that the neighbours of the marker have no bit in. */
function markerInBase64(offsetBytes: number): string {
  const bitsBefore = offsetBytes * 8;
  const bitsToEnd = bitsBefore + secretMarker.length * 8;
  const encoded = Buffer.from(`${'.'.repeat(offsetBytes)}${secretMarker}`).toString('base64');
  return encoded.slice(Math.ceil(bitsBefore / 6), Math.floor(bitsToEnd / 6));
}
