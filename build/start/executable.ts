import { compileBundle, runBundle } from './bundle-script.ts';
import { cleanStart } from './clean-start.ts';

// Node's own way into an executable: fetch the bundle and what V8 remembers of it from the file itself, and start.
cleanStart();
const { getRawAsset } = process.getBuiltinModule('node:sea');
const source = Buffer.from(getRawAsset('bundle')).toString('latin1');
const remembered = Buffer.from(getRawAsset('code-cache'));
runBundle(compileBundle(source, remembered.length === 0 ? undefined : remembered));
