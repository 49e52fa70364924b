import type { Test } from 'tap';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';
import { acquireControlPlane } from './pool/pool-client.ts';
import { poolSocketVariable } from './pool/pool-server.ts';
import type { SharedControlPlane } from './shared.ts';

/** A control plane of the test's own, which ends with it. If the test failed, the logs stay, and their path is printed. */
export async function controlPlaneFor(t: Test, options: ControlPlaneOptions): Promise<ControlPlane> {
  const plane = await startControlPlane(options);
  stopWithTest(t, plane, { onSuccess: () => plane.stop(), onFailure: () => plane.stopAndKeepLogs() });
  return plane;
}

/**
 * One without controllers and with nothing in it, which others have before and after, so that it need not be started. It
 * can be neither stopped nor paused. Without the test runner it is the test's own.
 */
export async function sharedControlPlaneFor(t: Test): Promise<SharedControlPlane> {
  const lender = process.env[poolSocketVariable];
  if (lender === undefined) return controlPlaneFor(t, { parts: [] });
  const plane = await acquireControlPlane(lender);
  stopWithTest(t, plane, { onSuccess: () => plane.release(), onFailure: () => plane.discard() });
  return plane;
}

interface TeardownActions {
  onSuccess(): Promise<void>;
  onFailure(): Promise<void>;
}

function stopWithTest(t: Test, { logDirectory }: SharedControlPlane, { onSuccess, onFailure }: TeardownActions): void {
  t.teardown(async () => {
    if (t.passing()) return onSuccess();
    await onFailure();
    process.stderr.write(`${t.fullname} failed: the control plane's logs are in ${logDirectory}\n`);
  });
}
