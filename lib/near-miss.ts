/** The name that a user probably meant. `undefined`: none is close. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const rated = names.map((name) => ({ name, distance: distanceBetween(written, name) }));
  const [closest] = rated.toSorted((one, other) => one.distance - other.distance);
  // Short names resemble each other: one edit for four characters.
  return closest !== undefined && closest.distance <= Math.ceil(closest.name.length / 4) ? closest.name : undefined;
}

/** A longer text is no typing error, and the time grows with its length. */
const maxCharacters = 64;

/** How many characters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function distanceBetween(one: string, other: string): number {
  if (one.length > maxCharacters) return Infinity;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const edits = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1)];
      row.push(Math.min(...edits, ...(isSwapped ? [at(beforeLast, j - 2) + 1] : [])));
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
