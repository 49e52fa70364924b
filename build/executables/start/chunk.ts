import type { Script } from 'node:vm';

/** One file of a program, see `bundle.ts`, and what V8 remembers of it from an earlier run; empty: nothing. */
export interface Chunk {
  readonly source: string;
  readonly codeCache: Buffer;
}

/**
 * The piece as V8 compiles it. A cache that does not fit costs time and changes nothing. Training and executable must
 * compile the very same way.
 */
export function compileChunk(name: string, { source, codeCache }: Chunk): Script {
  const options = { filename: name, ...(codeCache.length > 0 && { cachedData: codeCache }) };
  const { Script } = process.getBuiltinModule('node:vm');
  return new Script(`(function(require,module,exports){${source}\n})`, options);
}

/** Runs a piece, and those that it asks for by `require('./NAME')`, each once. All else that it asks for is Node's. */
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

/** As CommonJS has it: a piece may put another object in the place of the one that it is given. */
interface Module {
  readonly exports: object;
}

function builtinModule(name: string): object {
  const found: object | undefined = process.getBuiltinModule(name);
  if (found === undefined) throw new Error(`this program has no module ${name}`);
  return found;
}
