/** One page of the server. */
export interface Route {
  /** Everybody may see it, without being asked who they are. */
  readonly isOpen: boolean;
  answer(query: URLSearchParams): Answer;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Absent: plain text. */
  readonly contentType?: string;
}

/** By path. */
export type Routes = ReadonlyMap<string, Route>;
