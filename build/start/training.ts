import { readFileSync, writeFileSync } from 'node:fs';
import { compileBundle, runBundle } from './bundle-script.ts';

// `node training.cjs BUNDLE CODE-CACHE [ARGUMENT]…`: runs the bundle as an executable would, and at its end writes down
// what V8 compiled, on top of what earlier runs left in the same file. Functions that never ran are not in it.
const [, name = '', bundle = '', codeCache = '', ...args] = process.argv;
const earlier = readFileSync(codeCache);
const script = compileBundle(readFileSync(bundle, 'latin1'), earlier.length === 0 ? undefined : earlier);
process.on('exit', () => writeFileSync(codeCache, script.createCachedData()));
process.argv = [process.execPath, name, ...args];
runBundle(script);
