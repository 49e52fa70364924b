/** A route table in EC2. Tests write other routes into it. */
export interface Ec2RouteTable {
  readonly routeTableId: string;
  readonly accountId: string;
  readonly region: string;
  readonly vpcId: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly routes: readonly Ec2Route[];
}

export interface Ec2Route {
  readonly destination: string;
  /** As in the response, such as `gatewayId`; of an instance `instanceId`. */
  readonly target: Readonly<Record<string, string>>;
  readonly origin: 'CreateRouteTable' | 'CreateRoute' | 'EnableVgwRoutePropagation';
  /** Else it is that of the instance. */
  readonly state?: 'active' | 'blackhole';
}
