import { AppError } from "#src/lib/errors.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { hasTierOf } from "./queries/models.ts";

export const BYOK_REFUSAL =
  "Using your own API keys needs a higher plan, which neither this team nor your own team has";

export interface TierDeps {
  db: Db;
  modelSettings: Pick<ModelSettings, "byokTiers" | "providers">;
}

/** Throws `forbidden` for a person whose personal and default team both have a tier without own keys. */
export async function requireByokTier({ db, modelSettings }: TierDeps, userId: string): Promise<void> {
  if (!(await hasTierOf(db, userId, modelSettings.byokTiers))) throw new AppError("forbidden", BYOK_REFUSAL);
}
