export { insertAuditEntry, insertAuditPart, type AuditEntry, type AuditFilter } from "./queries.ts";
export { describeEntry, exportAuditLog, listAuditEntries } from "./read-audit-log.ts";
