/** In place of the Azure SDK's log, which a variable could make write to standard error: ids, and answers of Entra's. */
export function createClientLogger(): Readonly<Record<'error' | 'info' | 'verbose' | 'warning', () => void>> {
  return { error: discard, info: discard, verbose: discard, warning: discard };
}

export function getLogLevel(): undefined {
  return undefined;
}

function discard(): void {}
