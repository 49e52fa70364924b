import { isRecord } from '../kubernetes/record.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isDate: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isTextMap: Check = (value) => isRecord(value) && Object.values(value).every(isText);

/** The fields that are read, and what they have to be where they are there. */
const fields: readonly { readonly path: readonly string[]; readonly check: Check; readonly form: string }[] = [
  { path: ['metadata', 'deletionTimestamp'], check: isDate, form: 'a date' },
  { path: ['metadata', 'labels'], check: isTextMap, form: 'a map of strings' },
  { path: ['metadata', 'annotations'], check: isTextMap, form: 'a map of strings' },
  { path: ['spec'], check: isRecord, form: 'an object' },
  { path: ['spec', 'providerID'], check: isText, form: 'a string' },
  { path: ['spec', 'taints'], check: listOf(['key', 'effect']), form: 'a list of taints' },
  { path: ['status'], check: isRecord, form: 'an object' },
  { path: ['status', 'addresses'], check: listOf(['type', 'address']), form: 'a list of addresses' },
  { path: ['status', 'conditions'], check: listOf(['type', 'status']), form: 'a list of conditions' },
  { path: ['status', 'nodeInfo'], check: isRecord, form: 'an object' },
  { path: ['status', 'nodeInfo', 'systemUUID'], check: isText, form: 'a string' },
];

/** What of a Node is not as the API server writes it; `undefined`: nothing. */
export function wrongShapeOf(node: unknown): string | undefined {
  if (!isDate(valueAt(node, ['metadata', 'creationTimestamp']))) return 'metadata.creationTimestamp is not a date';
  const wrong = fields.find(({ path, check }) => {
    const value = valueAt(node, path);
    return value !== undefined && !check(value);
  });
  return wrong && `${wrong.path.join('.')} is not ${wrong.form}`;
}

function listOf(names: readonly string[]): Check {
  return (value) =>
    Array.isArray(value) && value.every((each) => isRecord(each) && names.every((name) => isText(each[name])));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), value);
}
