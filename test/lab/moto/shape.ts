import type { AwsResponse } from './responses.ts';

/** What an answer is made of: each field's path → what kind of value it holds. Values themselves differ by nature. */
export type Shape = ReadonlyMap<string, string>;

export function shapeOf({ status, contentType, body }: AwsResponse): Shape {
  const fields = contentType.includes('json') ? jsonFields(JSON.parse(body), 'body') : xmlFields(body);
  return new Map([['status', String(status)], ['content-type', contentType], ...fields]);
}

type Field = readonly [path: string, kind: string];

function jsonFields(value: unknown, path: string): readonly Field[] {
  if (Array.isArray(value)) return value.flatMap((each) => jsonFields(each, `${path}[]`));
  if (typeof value === 'string') return [[path, kindOfText(value)]];
  if (typeof value !== 'object' || value === null) return [[path, typeof value]];
  return Object.entries(value).flatMap(([name, each]) => jsonFields(each, `${path}.${name}`));
}

function kindOfText(text: string): string {
  return kinds.find(({ pattern }) => pattern.test(text))?.kind ?? 'text';
}

const kinds: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: 'date', pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ },
  { kind: 'assumed role ARN', pattern: /^arn:aws:sts::\d{12}:assumed-role\// },
  { kind: 'ARN', pattern: /^arn:/ },
  { kind: 'registry URL', pattern: /^https:\/\/\d{12}\.dkr\.ecr\.us-west-2\.amazonaws\.com$/ },
  { kind: 'account id', pattern: /^\d{12}$/ },
  { kind: 'session key id', pattern: /^ASIA[A-Z0-9]{16}$/ },
  { kind: 'role and session id', pattern: /^AROA[A-Z0-9]{17}:comparison$/ },
  { kind: 'user and password in base64', pattern: /^QVdTO[\w+/]+={0,2}$/ },
];

const tagPattern = /<(?<close>\/?)(?<name>[A-Za-z]\w*)(?<attributes>[^>]*?)(?<empty>\/?)>(?<text>[^<]*)/g;

/** Elements with their text; enough for answers that have neither comments nor mixed content. */
function xmlFields(xml: string): readonly Field[] {
  const open: string[] = ['body'];
  return [...xml.matchAll(tagPattern)].flatMap(({ groups = {} }) => {
    const { close, name = '', attributes = '', empty } = groups;
    if (close) {
      open.pop();
      return [];
    }
    const path = [...open, name].join('.');
    if (!empty) open.push(name);
    const text = groups['text']?.trim() ?? '';
    const kind = text === '' ? 'element' : kindOfText(text);
    return [[path, kind] as const, ...attributeFields(attributes, path)];
  });
}

function attributeFields(attributes: string, path: string): readonly Field[] {
  return [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
    `${path}@${String(name)}`,
    String(value),
  ]);
}
