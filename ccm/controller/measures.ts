/** What the controller counts; the names and forms are the metrics' affair. */
export interface Measures {
  looked(cloud: string, scopeKey: string, result: 'success' | 'error'): void;
  initialized(sinceCreationS: number): void;
  wrote(kind: 'node' | 'taint' | 'condition' | 'event', count: number): void;
  deleted(word: 'terminated' | 'not-found'): void;
  breaker(scopeKey: string, open: boolean): void;
}
