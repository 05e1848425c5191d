import { sql, type SQL } from "drizzle-orm";

/**
 * SQL condition: whether a person gets mails of tasks: one who wants them, at an address that was confirmed. Accounts may name
 * the addresses of others until then.
 */
export const getsMails = (person: SQL): SQL<boolean> =>
  sql`(${person}.task_mail AND ${person}.is_verified AND ${person}.is_active)`;
