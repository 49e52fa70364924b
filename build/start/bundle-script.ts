import type { Script } from 'node:vm';

/**
 * The bundle as V8 compiles it, with what it remembers from an earlier run where that is given and still fits. One that
 * does not fit costs time and changes nothing. Training and executable must compile the very same way.
 */
export function compileBundle(source: string, cachedData: Buffer | undefined): Script {
  const options = { filename: 'bundle.cjs', ...(cachedData === undefined ? {} : { cachedData }) };
  const { Script } = process.getBuiltinModule('node:vm');
  return new Script(`(function(require,module,exports){${source}\n})`, options);
}

export function runBundle(script: Script): void {
  const body = script.runInThisContext() as (require: NodeJS.Require, module: object, exported: object) => void;
  const exported = {};
  body(process.getBuiltinModule('node:module').createRequire(process.execPath), { exports: exported }, exported);
}
