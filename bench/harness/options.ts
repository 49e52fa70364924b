export function chooseOne<T>(option: string, all: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found === undefined) throw new Error(`${option} knows ${Object.keys(all).join(', ')}, and not ${name}`);
  return found;
}

export function numberOf(option: string, text: string, max: number): number {
  const number = Number(text);
  if (number > 0 && number <= max) return number;
  throw new Error(`${option} takes a number up to ${String(max)}`);
}
