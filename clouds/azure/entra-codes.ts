import type { FailureKind } from '../../lib/failure.ts';

/** What a failure says about the request. */
export interface AzureCall {
  /** The receiver: a host, or the metadata service. */
  readonly target: string;
  /** The identity of the caller: `the client secret of AZURE_CLIENT_SECRET`. */
  readonly as: string;
}

export interface EntraRow {
  readonly codes: readonly number[];
  readonly kind: FailureKind;
  readonly remedy: string;
  message(call: AzureCall): string;
}

const federation =
  "let the federated credential of the application or identity name the token's issuer, subject and audience to the letter";

/** https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
export const entraRows: readonly EntraRow[] = [
  {
    codes: [700016, 7000229],
    kind: 'denied',
    message: ({ as }) => `there is no such application in the tenant: ${as}`,
    remedy: 'check client id and tenant id, and that the application was granted to that tenant',
  },
  {
    codes: [90002, 900021, 900023],
    kind: 'denied',
    message: ({ target, as }) => `${target} knows no such tenant: ${as}`,
    remedy: 'check the tenant id, and that this tenant is in this cloud',
  },
  {
    codes: [70021, 700211, 700212, 700213, 7002137, 7002138],
    kind: 'denied',
    message: ({ as }) => `no federated credential matches: ${as}`,
    remedy: federation,
  },
  {
    codes: [700222, 700229],
    kind: 'denied',
    message: ({ as }) => `this kind of token is not taken as proof of who an application is: ${as}`,
    remedy: 'only a managed identity of Entra itself can be federated, for the exchange audience of its cloud',
  },
  {
    codes: [50013, 5002723, 700023, 700027, 700030],
    kind: 'denied',
    message: ({ as }) => `the signature or form of the proof is not accepted: ${as}`,
    remedy: "check that the issuer's keys can be read from the internet, or that the certificate is the registered one",
  },
  {
    codes: [700024],
    kind: 'denied',
    message: ({ as }) => `the proof is outside its time: ${as}`,
    remedy: "check this node's clock, then whatever issues the token",
  },
  {
    codes: [7000215],
    kind: 'denied',
    message: ({ as }) => `the secret is not accepted: ${as}`,
    remedy: 'use the value of a secret of this application, not its id',
  },
  {
    codes: [7000222],
    kind: 'denied',
    message: ({ as }) => `the secret has expired: ${as}`,
    remedy: 'make a new secret for the application, or better a federated credential, which has none',
  },
  {
    codes: [500011, 500014, 650057],
    kind: 'denied',
    message: ({ as }) => `the tenant has no such audience, asked for by ${as}`,
    remedy: 'register the resource provider Microsoft.ContainerRegistry there, and check registryAudience if it is set',
  },
  {
    codes: [7000112],
    kind: 'denied',
    message: ({ as }) => `the application is disabled: ${as}`,
    remedy: 'enable it in Entra, or use another',
  },
  {
    codes: [53003],
    kind: 'denied',
    message: ({ as }) => `a Conditional Access policy blocks ${as}`,
    remedy: 'let the policy for workload identities allow the addresses of the nodes',
  },
  {
    codes: [90055, 50196],
    kind: 'throttled',
    message: ({ target }) => `${target} throttles us`,
    remedy: 'it should pass; if it stays, ask less often for one application',
  },
  {
    codes: [90033, 90006, 90012],
    kind: 'unavailable',
    message: ({ target }) => `${target} has an error of its own`,
    remedy: 'it should pass; if not, see the Azure status page',
  },
];
