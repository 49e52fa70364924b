import type { Ec2Instance } from './ec2-instance.ts';
import type { Ec2Error } from './ec2-protocol.ts';

export interface Filter {
  readonly name: string;
  readonly values: ReadonlySet<string>;
  /** Of those values that have `*` for any characters or `?` for one. */
  readonly patterns: readonly RegExp[];
}

type Input = Readonly<Record<string, string>>;

const valuesMax = 200;

export function readFilters(input: Input): readonly Filter[] | Ec2Error {
  const filters: Filter[] = [];
  for (let name = input['Filter.1.Name']; name !== undefined; name = input[`Filter.${filters.length + 1}.Name`]) {
    filters.push(filterOf(name, valuesOf(input, `Filter.${filters.length + 1}.Value`)));
  }
  const unknown = filters.find(({ name }) => fieldOf(name) === undefined);
  if (unknown) {
    return { status: 400, code: 'InvalidParameterValue', message: `The filter '${unknown.name}' is invalid` };
  }
  if (filters.every(({ values }) => values.size <= valuesMax)) return filters;
  const message = 'The maximum number of filter values specified on a single call is 200';
  return { status: 400, code: 'FilterLimitExceeded', message };
}

/** `Name.1`, `Name.2`, … as far as they go. */
export function valuesOf(input: Input, name: string): readonly string[] {
  const values: string[] = [];
  for (let value = input[`${name}.1`]; value !== undefined; value = input[`${name}.${values.length + 1}`]) {
    values.push(value);
  }
  return values;
}

/** All filters, and of each any value. */
export function matchesFilters(instance: Ec2Instance, filters: readonly Filter[]): boolean {
  return filters.every(({ name, values, patterns }) => {
    const actual = [fieldOf(name)?.(instance) ?? []].flat();
    return actual.some((each) => values.has(each) || patterns.some((pattern) => pattern.test(each)));
  });
}

/** Several: any of them will do. */
type Field = (instance: Ec2Instance) => string | readonly string[] | undefined;

const fields: Readonly<Record<string, Field>> = {
  'availability-zone': ({ zone }) => zone,
  'instance-id': ({ instanceId }) => instanceId,
  'instance-state-name': ({ state }) => state,
  'instance-type': ({ instanceType }) => instanceType,
  'private-dns-name': ({ privateDnsName }) => privateDnsName,
  'private-ip-address': ({ interfaces }) => interfaces[0]?.privateIps[0],
  'tag-key': ({ tags }) => Object.keys(tags),
};

function fieldOf(name: string): Field | undefined {
  const key = /^tag:(.+)$/.exec(name)?.[1];
  return key === undefined ? fields[name] : ({ tags }) => tags[key];
}

function filterOf(name: string, values: readonly string[]): Filter {
  const patterns = values.filter((value) => /[*?]/.test(value)).map(patternOf);
  return { name, values: new Set(values), patterns };
}

function patternOf(value: string): RegExp {
  const literal = value.replaceAll(/[^\w*?]/g, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll('*', '.*').replaceAll('?', '.')}$`);
}
