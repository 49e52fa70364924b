// The symbol itself: loading node:util for it would make each start slower.
const inspectSymbol = Symbol.for('nodejs.util.inspect.custom');

/**
 * A value that must not be printed. Every way to print it gives `***`; only `reveal` returns it.
 * A class, because neither JSON nor `inspect` reads a private field.
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
