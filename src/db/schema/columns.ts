import { timestamp, uuid } from "drizzle-orm/pg-core";

/** UUIDv7, made by the service so that a row can be named before it is written. */
export const id = () => uuid().primaryKey();

/** A moment, always with its zone; `Date` in code, ISO 8601 with `Z` on the wire. */
export const at = () => timestamp({ withTimezone: true, mode: "date", precision: 3 });

export const createdAt = () => at().notNull().defaultNow();
