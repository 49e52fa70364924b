/** Characters that a terminal does not show as they are: with them the text of an object could look like another line. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Text of others on one line. Characters that cannot be seen are written as `\uXXXX`, as JSON has them. */
export function printable(text: string): string {
  return text.replace(unprintable, escape);
}

function escape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
