import { fuzz } from './fuzz.ts';
import { brokerWire } from './targets/broker-wire.ts';
import { cloudResponses } from './targets/cloud-answers.ts';
import { tokens } from './targets/tokens.ts';

/** What comes over the wire: to the broker, from pods and from clouds. */
await fuzz('test/long/fuzz/wire.test.ts', [brokerWire, tokens, cloudResponses]);
