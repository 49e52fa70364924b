/** Characters that a terminal does not show. With them, text of an object could look like another line. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Text from outside on one line. Invisible characters become `\uXXXX`, as in JSON. */
export function printable(text: string): string {
  return text.replace(unprintable, escape);
}

function escape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
