/** What an agent does when its instance is about to go, from the weakest to the strongest. */
export const interruptionActions = ['ignore', 'report', 'taint', 'drain'] as const;
export type InterruptionAction = (typeof interruptionActions)[number];
