/** Lines for people, on stderr. Level 0 is always said; higher ones only when asked for with `-v`. */
export interface Log {
  say(message: string): void;
  step(message: string): void;
}

export function createLog(verbosity: number, write: (line: string, level: number) => void): Log {
  return {
    say: (message) => write(message, 0),
    step: (message) => {
      if (verbosity > 0) write(message, 1);
    },
  };
}
