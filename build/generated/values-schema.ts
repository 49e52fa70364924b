import * as z from 'zod/mini';
import type { Capability, CloudTraits } from '../../clouds/cloud.ts';
import { Config } from '../../schemas/config.ts';

interface ValuesSchema {
  then: CloudsSchema;
  else: CloudsSchema;
  properties: {
    agent: {
      properties: {
        cloud: { enum: readonly string[] };
        install: { properties: { registries: { items: { enum: readonly string[] } } } };
      };
    };
    config: object;
  };
}

interface CloudsSchema {
  properties: { clouds: { items: { enum: readonly string[] } } };
}

/**
 * With a controller, the chart takes the clouds whose instances can be looked up; without one, those whose machines agents
 * can describe. No cloud of the first kind has to be of the second, or the other way round. Below `config`, our configuration's own schema stands.
 */
export function valuesSchema(text: string, clouds: readonly CloudTraits[]): string {
  const schema = JSON.parse(text) as ValuesSchema;
  schema.then.properties.clouds.items.enum = namesWith(clouds, 'instances');
  schema.else.properties.clouds.items.enum = namesWith(clouds, 'metadata');
  schema.properties.agent.properties.cloud.enum = ['', ...namesWith(clouds, 'metadata')];
  // As `polycloud-node-agent install --registries` takes them.
  schema.properties.agent.properties.install.properties.registries.items.enum = namesWith(clouds, 'registry');
  schema.properties.config = configSchema();
  return JSON.stringify(schema, undefined, 2);
}

/** With their other names. */
function namesWith(clouds: readonly CloudTraits[], capability: Capability): readonly string[] {
  return clouds.flatMap(({ name, aliases, capabilities }) =>
    capabilities.includes(capability) ? [name, ...aliases] : [],
  );
}

/** In the dialect of the chart's schema. The chart has the values' own defaults. */
function configSchema(): object {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(Config, { io: 'input', target: 'draft-7' }) as ObjectSchema;
  return withClearMessages(schema) as object;
}

interface ObjectSchema {
  readonly $schema?: string;
  readonly oneOf?: readonly FormSchema[];
}

/** One of several forms of an object, which a property tells apart. */
interface FormSchema {
  readonly properties: Readonly<Record<string, { readonly const?: string; readonly enum?: readonly string[] }>>;
}

/** For a value that matches none of several forms, Helm lists the errors of all. With conditions, it lists those of one. */
function withClearMessages(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withClearMessages);
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withClearMessages(value)]));
  const { oneOf, ...rest } = copy as ObjectSchema;
  return oneOf === undefined ? copy : { ...rest, ...oneFormOf(oneOf) };
}

function oneFormOf(forms: readonly FormSchema[]): object {
  const [first] = forms;
  const key = Object.keys(first?.properties ?? {}).find((each) =>
    forms.every((form) => namesOf(form, each).length > 0),
  );
  if (key === undefined) throw new Error('no property tells the forms of an object apart');
  return {
    type: 'object',
    required: [key],
    properties: { [key]: { enum: forms.flatMap((form) => namesOf(form, key)) } },
    allOf: forms.map((form) => ({
      if: { required: [key], properties: { [key]: { enum: namesOf(form, key) } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: form,
    })),
  };
}

function namesOf({ properties }: FormSchema, key: string): readonly string[] {
  const { const: only, enum: several = [] } = properties[key] ?? {};
  return only === undefined ? several : [only];
}
