const READING: ReadonlySet<string> = new Set([
  "probe",
  "status",
  "branches",
  "log",
  "diff",
  "blame",
  "remotes",
]);

/** Whether an operation changes nothing, so that it may run beside others. All others run one at a time. */
export function isReading(operation: string): boolean {
  return READING.has(operation);
}
