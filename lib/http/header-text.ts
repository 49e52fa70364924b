export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** One line of Latin-1: the tab and whatever is printed. */
export function isLine(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
