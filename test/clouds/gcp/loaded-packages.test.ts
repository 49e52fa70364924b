import { join } from 'node:path';
import { build } from 'esbuild';
import type { Metafile } from 'esbuild';
import t from 'tap';

const root = join(import.meta.dirname, '..', '..', '..');

await t.test('with an account of the instance nothing of Google’s library is loaded', async (t) => {
  for (const entry of ['index', 'registry/login', 'identity/issue-token']) {
    const files = await loadedBy(`clouds/gcp/${entry}.ts`);
    t.strictSame(packagesOf(files), entry === 'index' ? [] : ['zod'], entry);
  }
});

await t.test('no package that runs programs or calls a metadata server is in it', async (t) => {
  const files = await loadedBy('clouds/gcp/identity/auth-library.ts');
  t.ok(packagesOf(files).includes('google-auth-library'));
  for (const file of Object.keys(files)) {
    t.notMatch(file, /googleauth\.js|pluggable-auth|computeclient|awsclient|gcp-metadata|certificatesubjecttoken/);
  }
  const builtins = Object.values(files).flatMap(({ imports }) => imports.map(({ path }) => path));
  t.notOk(builtins.some((path) => /^(?:node:)?child_process$/.test(path)));
});

/** All that is read before the first `import()`. */
async function loadedBy(entry: string): Promise<Metafile['inputs']> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    mainFields: ['module', 'main'],
    outdir: 'unused',
    write: false,
    metafile: true,
  });
  const outputs = Object.entries(metafile.outputs);
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind } of metafile.outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' || kind === 'require-call') visit(next);
    }
  };
  const first = outputs.find(([, output]) => output.entryPoint === entry)?.[0];
  if (first !== undefined) visit(first);
  const names = [...seen].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
  return Object.fromEntries(
    names.flatMap((name) => Object.entries({ [name]: metafile.inputs[name] })),
  ) as Metafile['inputs'];
}

function packagesOf(files: Metafile['inputs']): readonly string[] {
  const names = Object.keys(files).map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}
