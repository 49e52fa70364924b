import type { Script } from 'node:vm';

/** One file of a program, see `bundle.ts`, and its code cache; an empty one has no effect. */
export interface Chunk {
  readonly source: string;
  readonly codeCache: Buffer;
}

/**
 * Compiles a chunk. A code cache that does not match costs time and changes nothing. Training and executable must
 * compile in exactly the same way.
 */
export function compileChunk(name: string, { source, codeCache }: Chunk): Script {
  const options = { filename: name, ...(codeCache.length > 0 && { cachedData: codeCache }) };
  const { Script } = process.getBuiltinModule('node:vm');
  return new Script(`(function(require,module,exports){${source}\n})`, options);
}

/** Runs a chunk, and each chunk that it loads by `require('./NAME')` once. All other modules are Node's. */
export function runChunks(main: string, compile: (name: string) => Script): void {
  const modules = new Map<string, Module>();
  const find = (name: string): object => (name.startsWith('./') ? load(name.slice(2)) : builtinModule(name));
  const load = (name: string): object => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const added: Module = { exports: {} };
    modules.set(name, added);
    const body = compile(name).runInThisContext() as (require: typeof find, module: Module, exports: object) => void;
    body(find, added, added.exports);
    return added.exports;
  };
  load(main);
}

/** As in CommonJS, a chunk may replace `module.exports`. */
interface Module {
  readonly exports: object;
}

function builtinModule(name: string): object {
  const found: object | undefined = process.getBuiltinModule(name);
  if (found === undefined) throw new Error(`this program has no module ${name}`);
  return found;
}
