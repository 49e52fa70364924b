import t from 'tap';
import { countRequests } from '../../../bench/credential-provider/round-trips.ts';
import type { RecordedRequest } from '../../lab/clouds/request-log.ts';

const request = (service: string, connection: number): RecordedRequest => ({
  service,
  connection,
  host: 'example',
  method: 'GET',
  path: '/',
  headers: {},
  body: '',
  receivedAtMs: 0,
});

await t.test('each connection to the cloud has its handshakes, each request its own round trip', (t) => {
  const requests = [
    request('imds', 1),
    request('imds', 1),
    request('registry', 2),
    request('registry', 2),
    request('entra', 3),
  ];
  t.strictSame(countRequests(requests, 'HTTPS'), { metadataCalls: 2, cloudCalls: 3, connections: 2, roundTrips: 7 });
  t.strictSame(countRequests(requests, 'HTTP'), { metadataCalls: 2, cloudCalls: 3, connections: 2, roundTrips: 5 });
  t.end();
});

await t.test('who asks the metadata server alone has no round trip', (t) => {
  const counted = { metadataCalls: 1, cloudCalls: 0, connections: 0, roundTrips: 0 };
  t.strictSame(countRequests([request('metadata', 1)], 'HTTPS'), counted);
  t.end();
});
