/** The kinds of patch. The names are those of the API server's media types. */
export type Patch =
  | { readonly type: 'merge' | 'strategic-merge'; readonly body: MergeBody }
  | { readonly type: 'json'; readonly body: readonly JsonPatchStep[] };

/** `null` removes a key. */
export interface MergeBody {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export type JsonPatchStep =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** Only if the object is still this one. Otherwise the result is `conflict`. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface PatchContent {
  readonly contentType: string;
  readonly body: string;
}

/** In every type of patch, the API server takes a resourceVersion as a precondition. */
export function patchContent(patch: Patch, { uid, resourceVersion }: Preconditions): PatchContent {
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const contentType = `application/${patch.type}-patch+json`;
  if (patch.type === 'json') {
    const checks = Object.entries(preconditions).map(([key, value]) => ({
      op: 'replace',
      path: `/metadata/${key}`,
      value,
    }));
    return { contentType, body: JSON.stringify([...checks, ...patch.body]) };
  }
  const metadata = { ...patch.body.metadata, ...preconditions };
  const isEmpty = Object.keys(metadata).length === 0;
  return { contentType, body: JSON.stringify(isEmpty ? patch.body : { ...patch.body, metadata }) };
}
