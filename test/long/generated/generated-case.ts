import type { Script } from './raw-servers.ts';
import type { GeneratedRequest } from './requests.ts';

export interface GeneratedCase {
  readonly request: GeneratedRequest;
  readonly configFile?: string;
  readonly verbosity: number;
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly wallAtStartMs: number;
  readonly mayHang: boolean;
  readonly script: Script;
}
