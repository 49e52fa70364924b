import type { Test } from 'tap';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';

/** One that ends with the test. If that failed, the logs stay, and it is said where. */
export async function controlPlaneFor(t: Test, options: ControlPlaneOptions): Promise<ControlPlane> {
  const plane = await startControlPlane(options);
  t.teardown(async () => {
    if (t.passing()) return plane.stop();
    await plane.stopAndKeepLogs();
    process.stderr.write(`${t.fullname} failed: the control plane's logs are in ${plane.logDirectory}\n`);
  });
  return plane;
}
