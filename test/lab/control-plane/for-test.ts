import type { Test } from 'tap';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';
import { borrowControlPlane } from './lending/borrow.ts';
import { lenderVariable } from './lending/lend.ts';
import type { SharedControlPlane } from './shared.ts';

/** One of the test's own, which ends with it. If the test failed, the logs stay, and it is said where. */
export async function controlPlaneFor(t: Test, options: ControlPlaneOptions): Promise<ControlPlane> {
  const plane = await startControlPlane(options);
  endWith(t, plane, { well: () => plane.stop(), badly: () => plane.stopAndKeepLogs() });
  return plane;
}

/**
 * One without controllers and with nothing in it, which others have before and after, so that it need not be started. It
 * can be neither stopped nor paused. Without the test runner it is the test's own.
 */
export async function sharedControlPlaneFor(t: Test): Promise<SharedControlPlane> {
  const lender = process.env[lenderVariable];
  if (lender === undefined) return controlPlaneFor(t, { parts: [] });
  const plane = await borrowControlPlane(lender);
  endWith(t, plane, { well: () => plane.giveBack(), badly: () => plane.throwAway() });
  return plane;
}

interface Ends {
  well(): Promise<void>;
  badly(): Promise<void>;
}

function endWith(t: Test, { logDirectory }: SharedControlPlane, { well, badly }: Ends): void {
  t.teardown(async () => {
    if (t.passing()) return well();
    await badly();
    process.stderr.write(`${t.fullname} failed: the control plane's logs are in ${logDirectory}\n`);
  });
}
