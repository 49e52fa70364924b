/** What is chosen of each key; empty: all of it. */
type Mask = Map<string, Mask>;

// The JSON with only what `fields` names, e.g. `kind,items/*/instances(name,zone)`.
// https://cloud.google.com/apis/docs/system-parameters
export function selectFields(json: string, query: URLSearchParams): string {
  const fields = query.get('fields');
  return fields === null ? json : JSON.stringify(select(JSON.parse(json), readMask(fields)));
}

function select(value: unknown, mask: Mask): unknown {
  if (mask.size === 0) return value;
  if (Array.isArray(value)) return value.map((each) => select(each, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const chosen = mask.get(key) ?? mask.get('*');
      return chosen === undefined ? [] : [[key, select(each, chosen)]];
    }),
  );
}

function readMask(fields: string): Mask {
  const tokens = fields.match(/[\w*]+|[,/()]/g) ?? [];
  const mask: Mask = new Map();
  let path: Mask[] = [mask];
  const open: (readonly Mask[])[] = [];
  for (const token of tokens) {
    const last = path.at(-1) ?? mask;
    if (token === '(') open.push(path);
    else if (token === ')') path = [...(open.pop() ?? [mask])];
    else if (token === ',') path = [...(open.at(-1) ?? [mask])];
    else if (token !== '/') path = [...path, childOf(last, token)];
  }
  return mask;
}

function childOf(mask: Mask, key: string): Mask {
  const child = mask.get(key) ?? new Map<string, Mask>();
  mask.set(key, child);
  return child;
}
