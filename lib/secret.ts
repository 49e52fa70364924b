// The symbol itself, since loading node:util for it costs start-up time.
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * A value that must not be seen: every way of printing it gives `***`, and only `reveal` gives it back.
 * A class, because a private field is the only place that neither JSON nor `inspect` looks into.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [inspectSymbol](): string {
    return '***';
  }
}
