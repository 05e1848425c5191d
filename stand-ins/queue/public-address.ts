import type { Database } from "#stand-ins/shared/sqlite.ts";
import { relativeTo } from "#stand-ins/shared/relative-to.ts";
import type { Template } from "./message.ts";

/** Remembers the public address that the stored messages and schedules are for. */
export const SETTING_TABLE = `
  CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
`;

/** Stored addresses that can be changed. */
interface Rebased {
  rebase(moved: (url: string) => string): void;
}

/** Moves what was stored for an earlier public address of the service to the current one. */
export function rebase(db: Database, stores: readonly Rebased[], publicUrl: string): void {
  db.transaction(() => {
    const before = db.get("SELECT value FROM setting WHERE name = 'public_url'")?.["value"];
    if (before === publicUrl) return;
    if (typeof before === "string") {
      const moved = (url: string) => {
        const path = relativeTo(before, url);
        return path === undefined ? url : publicUrl + path;
      };
      for (const store of stores) store.rebase(moved);
    }
    db.run(
      "INSERT INTO setting VALUES ('public_url', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      publicUrl,
    );
  });
}

/** Changes the addresses of a message and of its callbacks. */
export function rebasedTemplate<T extends Template>(template: T, moved: (url: string) => string): T {
  const rebased = <D extends { url: string }>(delivery: D): D => ({ ...delivery, url: moved(delivery.url) });
  const { callback, failureCallback } = template;
  return {
    ...rebased(template),
    ...(callback && { callback: rebased(callback) }),
    ...(failureCallback && { failureCallback: rebased(failureCallback) }),
  };
}
