import { parseXml, XmlElement as ParsedElement, XmlText } from '@rgrove/parse-xml';

/** An element of a response. Names have no namespace prefix. */
export interface SoapElement {
  readonly name: string;
  /** The attribute `type` of a reference to a managed object, not that of XML Schema. */
  readonly type: string | undefined;
  /** That of XML Schema, e.g. of a fault. */
  readonly schemaType: string | undefined;
  /** Directly inside. */
  readonly text: string;
  readonly children: readonly SoapElement[];
}

/**
 * `undefined`: it is no complete document. The parser knows the predefined entities and numbers of characters; a document
 * that declares or uses others is refused. Its size is limited by the request.
 */
export function readSoapXml(xml: string): SoapElement | undefined {
  if (/<!DOCTYPE/i.test(xml)) return undefined;
  try {
    const { root } = parseXml(xml);
    return root === null ? undefined : toElement(root);
  } catch {
    return undefined;
  }
}

function toElement({ name, attributes, children }: ParsedElement): SoapElement {
  return {
    name: name.slice(name.indexOf(':') + 1),
    type: attributes['type'],
    schemaType: Object.entries(attributes).find(([key]) => key.endsWith(':type'))?.[1],
    text: children.map((child) => (child instanceof XmlText ? child.text : '')).join(''),
    children: children.flatMap((child) => (child instanceof ParsedElement ? [toElement(child)] : [])),
  };
}

export function childOf(element: SoapElement | undefined, name: string): SoapElement | undefined {
  return element?.children.find((candidate) => candidate.name === name);
}

export function childrenOf(element: SoapElement | undefined, name: string): readonly SoapElement[] {
  return element?.children.filter((candidate) => candidate.name === name) ?? [];
}

/** The trimmed text at the end of the path; `undefined`: there is none. */
export function textAt(element: SoapElement | undefined, ...path: readonly string[]): string | undefined {
  return path.reduce(childOf, element)?.text.trim() || undefined;
}
