import { dirname } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import { locatedText } from '../../lib/kubelet-config/finding.ts';
import type { LintFinding } from '../../lib/kubelet-config/finding.ts';
import { lintFiles } from '../../lib/kubelet-config/lint.ts';
import { applyChanges, currentContent, dueChanges, plannedRestore, restoreFiles } from './change-files.ts';
import type { RestoredFiles } from './change-files.ts';
import type { ChangedFile, FileChange } from './file-change.ts';
import { isOfHostBroker, refuseWithoutSystemd } from './host-broker.ts';
import { mountObstacle } from './host-root.ts';
import type { HostRoot } from './host-root.ts';
import type { HostWork, KnownGood } from './host-work.ts';
import { inspectHost, layoutOf, serviceOfHost, unreadFiles } from './inspect-host.ts';
import { readRecord, recordFile } from './install-record.ts';
import type { Layout } from './layouts.ts';
import { librariesObstacle } from './libraries.ts';
import { planInstall } from './plan-install.ts';
import type { HostFindings, InstallPlan, InstallSources, WantedEntries } from './plan-install.ts';
import { printForLayout } from './print-layout.ts';
import { refuseStrandedFiles } from './stranded-files.ts';

export interface InstallRequest {
  readonly host: HostRoot;
  /** The text of /proc/self/mountinfo. */
  readonly mountInfo: string;
  readonly sources: InstallSources;
  readonly wanted: WantedEntries;
  /** Nothing is written. */
  readonly isDryRun: boolean;
}

export type InstallResult =
  /** Its own configuration has to be changed, with this text. */
  | { readonly kind: 'printed'; readonly layout: string; readonly text: string }
  | {
      readonly kind: 'written';
      readonly layout: string;
      readonly changed: readonly string[];
      readonly unchanged: readonly string[];
      /** The vendor's programs that are links to ours now. */
      readonly replaced: readonly string[];
      /** The service that has to be restarted. Absent: none. */
      readonly restart?: string;
      /** Whether the broker of the host runs now. Absent: the host gets none, or it was a dry run. */
      readonly hostBroker?: 'running' | 'next-boot';
      /** The service that was restarted. Absent: none. */
      readonly restarted?: string;
    };

/** Puts the credential provider on a host, or says why not before anything is changed. */
export function install(request: InstallRequest): InstallResult {
  const work = installWork(request);
  if (!request.isDryRun) work.apply();
  return work.result;
}

/** Changes nothing yet. */
export function installWork({ host, mountInfo, sources, wanted }: InstallRequest): HostWork<InstallResult> {
  const layout = layoutOf(host);
  const { name, way } = layout;
  if (way.kind === 'refuse') throw new Failure('misconfigured', way.reason, { remedy: way.remedy });
  if (sources.agent !== undefined) refuseHostBroker(host, layout);
  if (way.kind === 'print') {
    const paths = inspectHost(host, layout).kubelet?.paths ?? way.paths;
    return nothingToDo({ kind: 'printed', layout: name, text: printForLayout(way.format, paths, wanted.entries) });
  }
  refuseOldLibraries(host);
  const findings = inspectHost(host, layout);
  const plan = planInstall(findings, way, wanted, sources);
  refuseMounts(host, plan.changes, mountInfo);
  refuseInvalidConfig(findings, plan);
  refuseIgnoredFlags(findings, plan);
  const due = dueChanges(host, plan.changes).map(({ path }) => path);
  const service = plan.isRestartNeeded ? findings.service : undefined;
  return {
    result: {
      kind: 'written',
      layout: name,
      changed: due,
      unchanged: plan.changes.map(({ path }) => path).filter((path) => !due.includes(path)),
      replaced: plan.replaced,
      ...(service !== undefined && { restart: service }),
    },
    ...(service !== undefined && { service }),
    knownGood: () => (plan.untried.length > 0 ? beforeInstall(host, plan.untried, due) : asNow([recordFile, ...due])),
    apply: () => void applyChanges(host, plan.changes),
  };
}

function refuseIgnoredFlags({ service }: HostFindings, { ignoredFlags }: InstallPlan): void {
  if (ignoredFlags === undefined) return;
  throw new Failure('misconfigured', `the kubelet runs without the two flags that ${ignoredFlags} gives it`, {
    remedy: `see how ${service} starts it, and set --image-credential-provider-bin-dir and -config there`,
  });
}

function nothingToDo<Result>(result: Result): HostWork<Result> {
  return { result, knownGood: () => [], apply: () => undefined };
}

export interface UninstallResult extends RestoredFiles {
  /** The service that has to be restarted. Absent: none. */
  readonly restart?: string;
  /** The service that was restarted. Absent: none. */
  readonly restarted?: string;
}

/** Restores what was there before the first installation. */
export function uninstall(host: HostRoot): UninstallResult {
  const work = uninstallWork(host);
  work.apply();
  return work.result;
}

/** Changes nothing yet. */
export function uninstallWork(host: HostRoot): HostWork<UninstallResult> {
  const { removed, ...planned } = plannedRestore(host);
  refuseStrandedFiles(host, { ...planned, removed });
  const programs = programFolder(planned.restored);
  // On EKS the kubelet's file is in the same folder as the programs.
  const isRead = (path: string): boolean => dirname(path) !== programs || /\.(?:json|ya?ml)$/.test(path);
  const read = planned.restored.filter((path) => isRead(path) && !isOfHostBroker(path));
  const service = read.length > 0 ? serviceOfHost(host) : undefined;
  return {
    result: { ...planned, ...(service !== undefined && { restart: service }) },
    ...(service !== undefined && { service }),
    knownGood: () =>
      unreadFiles(host, read).length > 0
        ? beforeInstall(host, read, [])
        : asNow([recordFile, ...backupsOf(readRecord(host)), ...planned.restored]),
    apply: () => void restoreFiles(host),
  };
}

function asNow(paths: readonly string[]): readonly KnownGood[] {
  return paths.map((path) => ({ path, kind: 'now' }));
}

function backupsOf(files: readonly ChangedFile[]): readonly string[] {
  return files.flatMap(({ before }) => (before.kind === 'file' ? [before.backup] : []));
}

/** As `uninstall` would leave it; what is changed for the first time stays as it is. */
function beforeInstall(host: HostRoot, untried: readonly string[], due: readonly string[]): readonly KnownGood[] {
  const { left } = plannedRestore(host);
  const ours = readRecord(host).filter(({ path }) => !left.includes(path));
  const foreign = untried.find((path) => ours.every((file) => file.path !== path));
  if (foreign !== undefined) {
    throw new Failure('misconfigured', `${foreign} was changed by others after the kubelet started`, {
      remedy: 'restart the kubelet by hand first: there is nothing to go back to if it does not start with that file',
    });
  }
  const others = due.filter((path) => ours.every((file) => file.path !== path));
  return [
    { path: recordFile, kind: 'absent' },
    ...ours.map(({ path, before }) => ({ path, ...before })),
    ...asNow(others),
  ];
}

/** The folder of our full program. */
function programFolder(paths: readonly string[]): string | undefined {
  const program = paths.find((path) => path.endsWith('/polycloud-credential-provider-full'));
  return program === undefined ? undefined : dirname(program);
}

function refuseHostBroker(host: HostRoot, { name, way }: Layout): void {
  if (way.kind !== 'print') {
    refuseWithoutSystemd(host);
    return;
  }
  throw new Failure('misconfigured', `the broker cannot be put on a host with ${name}`, {
    remedy: 'leave out --host-broker: the agent serves the logins',
  });
}

function refuseOldLibraries(host: HostRoot): void {
  const obstacle = librariesObstacle(host);
  if (obstacle === undefined) return;
  throw new Failure('misconfigured', `the host cannot run the credential provider: ${obstacle}`, {
    remedy: 'use a distribution with glibc 2.28 or later',
  });
}

function refuseMounts(host: HostRoot, changes: readonly FileChange[], mountInfo: string): void {
  for (const change of changes) {
    // What is there already needs no write.
    const isThere = currentContent(host, change.path) !== undefined;
    const obstacle = mountObstacle(host.locate(change.path), mountInfo);
    const matters = obstacle === 'read-only' || (obstacle === 'noexec' && change.kind === 'copy');
    if (!matters || (isThere && dueChanges(host, [change]).length === 0)) continue;
    const why = obstacle === 'read-only' ? 'is read-only' : 'does not let programs run (noexec)';
    throw new Failure('misconfigured', `the file system of ${dirname(change.path)} on the host ${why}`, {
      remedy: 'move the directory of the kubelet flag --image-credential-provider-bin-dir to another file system',
    });
  }
}

/** A kubelet with an invalid file does not start. */
function refuseInvalidConfig(findings: HostFindings, { changes, paths }: InstallPlan): void {
  const file = changes.find(({ path }) => path === paths.config || dirname(path) === paths.config);
  if (file?.kind !== 'text') return;
  const others = findings.configFiles.filter((path) => path !== file.path);
  const texts = others.map((path) => ({ name: path, text: findings.readText(path) ?? '' }));
  const linted = lintFiles(paths.config, [...texts, { name: file.path, text: file.text }], {});
  const [error, ...more] = linted.filter(({ severity }) => severity === 'error');
  if (error === undefined) return;
  throw new Failure('misconfigured', `the kubelet would not start: ${locatedText(error)}`, {
    remedy: error.remedy,
    details: more.map((finding: LintFinding) => locatedText(finding)),
  });
}
