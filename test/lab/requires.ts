/** Whether this machine can do something. If not, `reason` names what is missing. */
export type Support = { readonly available: true } | { readonly available: false; readonly reason: string };

/** Options for a test that needs it: skipped with the reason where it cannot be had. */
export function requires(support: Support): { skip?: string } {
  return support.available ? {} : { skip: support.reason };
}
