/** What the controller counts; the names and forms are the metrics' affair. */
export interface ControllerMetrics {
  countLookup(cloud: string, scopeKey: string, result: 'success' | 'error'): void;
  observeInitialization(sinceCreationS: number): void;
  countWrites(kind: 'node' | 'taint' | 'condition' | 'event', count: number): void;
  countDeletion(word: 'terminated' | 'not-found'): void;
  setBreaker(scopeKey: string, open: boolean): void;
}
