import type { LineDescription } from './log-keys.ts';

/** The lines of the controller about routes. */
export const routeLines = {
  routeCreated: {
    severity: 'info',
    message: 'Route created',
    when: 'a route to the pods of a Node was missing, or led elsewhere',
    keys: ['cloud', 'scope', 'node', 'route'],
  },
  routeRemoved: {
    severity: 'info',
    message: 'Route removed',
    when: 'no Node needs the route any more',
    keys: ['cloud', 'scope', 'route'],
  },
  routeKept: {
    severity: 'error',
    message: 'Route cannot be removed',
    when: 'the cloud refuses to remove a route that no Node needs; it is retried',
    keys: ['cloud', 'scope', 'route', 'err'],
  },
  routesLeft: {
    severity: 'info',
    message: 'Routes are left alone',
    when:
      'routes inside `--cluster-cidr` are needed by no Node, but nothing proves that they were routes of Nodes; ' +
      'again when they change',
    keys: ['cloud', 'scope', 'routes', 'hint'],
  },
  routesPlanned: {
    severity: 'info',
    message: 'Dry run: routes would be changed',
    when: 'in a dry run instead of the lines about routes; once, and again when the plan changes',
    keys: ['cloud', 'scope', 'changes'],
  },
  routesFailing: {
    severity: 'error',
    message: 'Routes cannot be read',
    when: 'a cloud refuses, throttles or does not list a route table; once for each reason, then every 5 minutes',
    keys: ['cloud', 'scope', 'err'],
  },
  routesRecovered: {
    severity: 'info',
    message: 'Routes are read again',
    when: 'after `Routes cannot be read`',
    keys: ['cloud', 'scope'],
  },
  nodeRouteFailing: {
    severity: 'error',
    message: 'Node has no route to its pods',
    when: 'a route to the pods of a Node cannot be created; once for each reason, until it works',
    keys: ['node', 'err'],
  },
  nodeRouteRecovered: {
    severity: 'info',
    message: 'Node has its routes',
    when: 'after `Node has no route to its pods`',
    keys: ['node'],
  },
} as const satisfies Readonly<Record<string, LineDescription>>;
