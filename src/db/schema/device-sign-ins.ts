import { index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { at, createdAt, id } from "./columns.ts";
import { sessions } from "./sessions.ts";

/**
 * Sign-ins of command lines that a person approves in a browser (RFC 8628): valid for ten minutes, single use. Neither
 * code is stored itself.
 */
export const deviceSignIns = pgTable(
  "device_sign_ins",
  {
    id: id(),
    /** SHA-256 of the program's code. */
    deviceCodeHash: text().notNull(),
    /** HMAC of the code that the person enters; it is too short for a hash without a key. */
    userCodeHash: text().notNull(),
    /** The program's name for itself. */
    clientName: text().notNull(),
    /** Where the program asked from. */
    ipAddress: text().notNull(),
    /** The address, or the /64 of an IPv6 address: whose open sign-ins are counted together. */
    network: text().notNull(),
    /** Seconds that must pass between two polls. */
    intervalSeconds: integer().notNull(),
    polledAt: at(),
    decision: text({ enum: ["approve", "deny"] }),
    decidedAt: at(),
    /** The session that decided. An approval is void once that session has ended. */
    decidedBySessionId: uuid().references(() => sessions.id, { onDelete: "cascade" }),
    expiresAt: at().notNull(),
    usedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("device_sign_ins_device_code_hash_unique").on(table.deviceCodeHash),
    uniqueIndex("device_sign_ins_user_code_hash_unique").on(table.userCodeHash),
    index("device_sign_ins_network").on(table.network, table.expiresAt),
    index("device_sign_ins_decided_by_session").on(table.decidedBySessionId),
    index("device_sign_ins_expires").on(table.expiresAt),
  ],
);
