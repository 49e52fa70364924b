import { brokerServiceUnit, brokerSocketUnit } from '../../node-agent/install/broker-units.ts';

const units = `${brokerSocketUnit} ${brokerServiceUnit}`;

/**
 * Starts the broker of the host. Its first arguments are `configure` and the version before (deb; empty at the first
 * installation), or 1 at the first installation and 2 at an upgrade (rpm). A unit that an administrator has disabled stays
 * so. In the root of a machine image, where systemd does not run, it is only enabled.
 * https://www.debian.org/doc/debian-policy/ch-maintainerscripts.html
 * https://docs.fedoraproject.org/en-US/packaging-guidelines/Scriptlets/
 */
export const afterInstall = `#!/bin/sh
set -e
case "$1:$2" in
  configure:* | 1: | 2:) ;;
  *) exit 0 ;;
esac
command -v systemctl > /dev/null || exit 0
case "$1:$2" in
  configure: | 1:) systemctl --quiet enable ${units} ;;
esac
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl --quiet is-enabled ${brokerSocketUnit} || exit 0
systemctl start ${brokerSocketUnit}
# Requests wait at the socket meanwhile.
systemctl restart ${brokerServiceUnit}
`;

/** Stops it before its files go: `remove` (deb) or 0 (rpm), and not at an upgrade. */
export const beforeRemove = `#!/bin/sh
set -e
case "$1" in
  remove | 0) ;;
  *) exit 0 ;;
esac
command -v systemctl > /dev/null || exit 0
[ ! -d /run/systemd/system ] || systemctl stop ${units}
systemctl --quiet disable ${units}
`;
