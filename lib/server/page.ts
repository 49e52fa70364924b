/** One page of the server. */
export interface ServerPage {
  /** Everyone may read it, without credentials. */
  readonly isPublic: boolean;
  respond(query: URLSearchParams): PageResponse;
}

export interface PageResponse {
  readonly status: number;
  readonly text: string;
  /** Absent: plain text. */
  readonly contentType?: string;
}

/** By path. */
export type ServerPages = ReadonlyMap<string, ServerPage>;
