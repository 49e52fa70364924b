import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeGo {
  /** To be put at the front of PATH. */
  readonly directory: string;
  readonly file: string;
  /** How often it built: a line each, with its arguments. */
  readonly record: string;
}

export interface FakeGoOptions {
  readonly version: string;
  /** Shell, in place of the compiler; `$out` is what was asked for. */
  readonly build: string;
}

/** Builds a shell script that prints the right version. */
export const buildsAtOnce = `
case "$out" in */) names='kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet' ;; *) names='' ;; esac
for file in $(test -n "$names" && for name in $names; do echo "$out$name"; done || echo "$out"); do
  printf '#!/bin/sh\\necho "etcd Version: 3.7.3"\\necho "Kubernetes v1.37.1"\\n' > "$file"
  case "$file" in */etcd) ;; *) sed -i 2d "$file" ;; esac
  chmod +x "$file"
done
`;

/** Stands in for the Go command: what it makes is not what is tested. */
export function makeFakeGo(parent: string, { version, build }: FakeGoOptions): FakeGo {
  const directory = join(parent, 'go-bin');
  const file = join(directory, 'go');
  const record = join(parent, 'go-builds');
  mkdirSync(directory);
  writeFileSync(record, '');
  const script = `#!/bin/sh
case "$1" in env) echo ${version}; exit ;; esac
echo "$@" >> '${record}'
while [ "$1" != -o ]; do shift; done
out=$2
${build}`;
  writeFileSync(file, script, { mode: 0o755 });
  return { directory, file, record };
}
