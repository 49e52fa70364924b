/**
 * An embedded cloud: what its services answer, as functions over its state. Everything else (ports, TLS, faults, the
 * log, the remote control) is the same for every cloud. The state is plain JSON, so that it can be read and changed
 * from another process.
 */
export interface CloudDefinition<State extends object> {
  readonly name: string;
  initialState(): State;
  readonly services: Readonly<Record<string, LabService<State>>>;
}

export interface LabService<State> {
  /** May change the state: what was issued has to be known again. */
  respond(request: LabRequest, state: State, moment: Moment): LabResponse | Promise<LabResponse>;
  /** How long the service holds this request while its state stays like this one. Absent: it holds none. */
  holdMs?(request: LabRequest, state: State): number;
  /** This service's response for "too many requests". */
  readonly throttled: LabResponse;
}

export interface LabRequest {
  readonly service: string;
  /** The Host header, as sent. */
  readonly host: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LabResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** When a request is answered, and what faults do to the lives of the credentials in the answer. */
export interface Moment {
  /** The server's clock; a fault can put it ahead. */
  readonly nowMs: number;
  readonly expiry: 'usual' | 'passed' | 'absent';
}
