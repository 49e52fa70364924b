/** A file or link that should be on the host. Paths are those of the host. */
export type FileChange = { readonly path: string } & Wanted;

type Wanted =
  | { readonly kind: 'copy'; readonly source: string; readonly mode: number }
  /** `withoutOurs`: what others have in it, for the way back. Absent: nothing. */
  | { readonly kind: 'text'; readonly text: string; readonly mode: number; readonly withoutOurs?: string }
  | { readonly kind: 'link'; readonly target: string };

/** What stood at a path before the first change, and what we put there. */
export interface ChangedFile {
  readonly path: string;
  readonly before:
    | { readonly kind: 'absent' }
    /** `backup`: the path of a copy on the host. */
    | { readonly kind: 'file'; readonly backup: string; readonly mode: number }
    | { readonly kind: 'link'; readonly target: string };
  /** `sha256:…` of a file, `link:…` of a link. */
  readonly after: string;
  /** What we had put there before that: it is still there if the installer was killed. */
  readonly earlier?: string | undefined;
}
