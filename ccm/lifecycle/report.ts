/** What the event and the condition on a Node report; the name is their reason. */
export type ReportKind = keyof typeof reports;

export interface DeletionReport {
  readonly kind: ReportKind;
  readonly type: 'Normal' | 'Warning';
  /** Is the condition cleared, since the instance was found? */
  readonly clearsCondition: boolean;
  readonly message: string;
}

const reports = {
  InstanceFound: { type: 'Normal', clearsCondition: true },
  InstanceGone: { type: 'Warning', clearsCondition: false },
  InstanceGoneButReady: { type: 'Warning', clearsCondition: false },
  InstanceNeverFound: { type: 'Warning', clearsCondition: false },
  InstanceAmbiguous: { type: 'Warning', clearsCondition: false },
  DeletionsStopped: { type: 'Warning', clearsCondition: false },
  DeletingNode: { type: 'Normal', clearsCondition: false },
} as const;

export function createReport(kind: ReportKind, message: string): DeletionReport {
  return { kind, ...reports[kind], message };
}

export function isReportKind(reason: string | undefined): reason is ReportKind {
  return reason !== undefined && Object.hasOwn(reports, reason);
}
