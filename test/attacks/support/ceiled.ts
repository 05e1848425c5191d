import type { CEILINGS } from "#src/domain/operations/limits/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";

type TierVariable = (typeof CEILINGS)["projects"]["variable"];

/** A database, with the ceilings that are tried. */
export interface Ceiled {
  db: Db;
  config: typeof DEFAULT_CEILINGS & Record<TierVariable[keyof TierVariable], number>;
}

/** What one owner holds of a kind. */
export interface Holding {
  /** What a new owner has already. */
  held?: number;
  make: () => Promise<string>;
  remove: (id: string) => Promise<unknown>;
}
