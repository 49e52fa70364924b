import type { ChangedFile } from './file-change.ts';

/** What an installation or its removal is going to do. */
export interface HostWork<Result> {
  /** As it is when it has been done. */
  readonly result: Result;
  /** The service that has to be restarted after it. Absent: none. */
  readonly service?: string;
  /** How the files were when the kubelet last started well, in the order of their changes. Read only if needed. */
  knownGood(): readonly KnownGood[];
  /** Is awaited right before the changes. */
  beforeChanges?(): Promise<void>;
  /** Makes the changes. Each prefix of them leaves a node that works. */
  apply(): void;
}

export type KnownGood =
  /** As it is now. */
  { readonly path: string; readonly kind: 'now' } | ({ readonly path: string } & ChangedFile['before']);
