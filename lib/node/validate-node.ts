import { isRecord } from '../kubernetes/record.ts';

type Check = (value: unknown) => boolean;

const isString: Check = (value) => typeof value === 'string';
const isDate: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isStringList: Check = (value) => Array.isArray(value) && value.every(isString);
const isStringMap: Check = (value) => isRecord(value) && Object.values(value).every(isString);

/** The fields that the programs read, and the type of each if it is present. */
const fields: readonly { readonly path: readonly string[]; readonly check: Check; readonly expected: string }[] = [
  { path: ['metadata', 'deletionTimestamp'], check: isDate, expected: 'a date' },
  { path: ['metadata', 'labels'], check: isStringMap, expected: 'a map of strings' },
  { path: ['metadata', 'annotations'], check: isStringMap, expected: 'a map of strings' },
  { path: ['spec'], check: isRecord, expected: 'an object' },
  { path: ['spec', 'providerID'], check: isString, expected: 'a string' },
  { path: ['spec', 'podCIDRs'], check: isStringList, expected: 'a list of strings' },
  { path: ['spec', 'taints'], check: isListOf(['key', 'effect']), expected: 'a list of taints' },
  { path: ['status'], check: isRecord, expected: 'an object' },
  { path: ['status', 'addresses'], check: isListOf(['type', 'address']), expected: 'a list of addresses' },
  { path: ['status', 'conditions'], check: isListOf(['type', 'status']), expected: 'a list of conditions' },
  { path: ['status', 'nodeInfo'], check: isRecord, expected: 'an object' },
  { path: ['status', 'nodeInfo', 'systemUUID'], check: isString, expected: 'a string' },
  { path: ['status', 'nodeInfo', 'bootID'], check: isString, expected: 'a string' },
];

/** The first field of a Node with a wrong type. `undefined`: none. */
export function findInvalidField(node: unknown): string | undefined {
  if (!isDate(valueAt(node, ['metadata', 'creationTimestamp']))) return 'metadata.creationTimestamp is not a date';
  const invalid = fields.find(({ path, check }) => {
    const value = valueAt(node, path);
    return value !== undefined && !check(value);
  });
  return invalid && `${invalid.path.join('.')} is not ${invalid.expected}`;
}

function isListOf(names: readonly string[]): Check {
  return (value) =>
    Array.isArray(value) && value.every((each) => isRecord(each) && names.every((name) => isString(each[name])));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), value);
}
