/** In place of 29 KB: what signs the assertions of certificates asks whether this Node is newer than 16.9, and it is. */
export function satisfies(): boolean {
  return true;
}
