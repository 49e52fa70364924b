/** An element that is kept. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface OpenElement {
  readonly name: string;
  /** Absent: it is not kept. */
  readonly children: XmlElement[] | undefined;
}

const noElements: readonly XmlElement[] = [];
const depthMax = 32;

/**
 * Reads machine-written XML: elements and text. A response of EC2 has megabytes of which we need a tenth, so only
 * elements with these names are kept, if their parents are kept. `undefined`: it is not XML, or it is incomplete.
 */
export function readXml(xml: string, names: ReadonlySet<string>): XmlElement | undefined {
  const roots: XmlElement[] = [];
  const open: OpenElement[] = [{ name: '', children: roots }];
  let start = xml.indexOf('<');
  if (start === -1 || xml.slice(0, start).trim() !== '') return undefined;
  while (start < xml.length) {
    const end = xml.indexOf('>', start);
    const next = xml.indexOf('<', start + 1);
    const stop = next === -1 ? xml.length : next;
    if (end === -1 || end > stop || !readTag(open, { xml, start, end, stop }, names)) return undefined;
    start = stop;
  }
  return open.length === 1 && roots.length === 1 ? roots[0] : undefined;
}

/** A tag from `start` to `end`, and the text after it up to `stop`. */
interface Part {
  readonly xml: string;
  readonly start: number;
  readonly end: number;
  readonly stop: number;
}

const namePattern = /^[A-Za-z_][\w.-]*$/;

/** False: it is not the kind of XML that we read. */
function readTag(open: OpenElement[], part: Part, names: ReadonlySet<string>): boolean {
  const { xml, start, end } = part;
  const parent = open.at(-1);
  if (parent === undefined) return false;
  if (xml[start + 1] === '/') return close(open, parent, part);
  if (xml[start + 1] === '?') return open.length === 1 && parent.children?.length === 0 && xml[end - 1] === '?';
  return openElement(open, parent, part, names);
}

function close(open: OpenElement[], { name }: OpenElement, { xml, start, end }: Part): boolean {
  const isItsEnd = end === start + 2 + name.length && xml.startsWith(name, start + 2);
  return open.length > 1 && isItsEnd && open.pop() !== undefined;
}

function openElement(
  open: OpenElement[],
  parent: OpenElement,
  { xml, start, end, stop }: Part,
  names: ReadonlySet<string>,
): boolean {
  const isEmpty = xml[end - 1] === '/';
  const name = nameOf(xml.slice(start + 1, isEmpty ? end - 1 : end));
  const isKnown = names.has(name);
  if (!isKnown && !namePattern.test(name)) return false;
  const children = isKnown && parent.children !== undefined ? [] : undefined;
  if (children !== undefined) {
    parent.children?.push({ name, text: isEmpty ? '' : decode(xml.slice(end + 1, stop)), children });
  }
  if (!isEmpty) open.push({ name, children });
  return open.length <= depthMax;
}

/** Without the attributes. */
function nameOf(tag: string): string {
  const space = tag.search(/\s/);
  return space === -1 ? tag : tag.slice(0, space);
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

function decode(text: string): string {
  if (!text.includes('&')) return ownCopy(text.trim());
  return text.replace(/&(#\d{1,7}|#x[\da-fA-F]{1,6}|\w+);/g, (_all, entity: string) => characterOf(entity)).trim();
}

/** A part of a string keeps the whole of it in memory: here megabytes, for an id of twenty characters. */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}

/** An undefined entity has no value. */
function characterOf(entity: string): string {
  if (!entity.startsWith('#')) return entities.get(entity) ?? '';
  const code = entity.startsWith('#x') ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((candidate) => candidate.name === name);
}

/** The text at the end of the path; `undefined` where there is none. */
export function textAt(element: XmlElement | undefined, ...path: readonly string[]): string | undefined {
  return path.reduce(child, element)?.text || undefined;
}

/** The `item`s of the list of this name. */
export function itemsOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return child(element, name)?.children.filter((candidate) => candidate.name === 'item') ?? noElements;
}
