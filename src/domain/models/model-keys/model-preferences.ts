import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { disabledModels, setDisabled } from "./queries/models.ts";
import { idsOf, namedBy } from "./switched-off.ts";

const MAX_DISABLED = 500;

/** Models that the person's default team has switched off. */
export async function readPreferences(deps: { db: Db }, caller: UserCaller): Promise<string[]> {
  const { teamId } = await requireTeam(deps, caller, "team.view");
  const [row] = await disabledModels(deps.db, teamId);
  return row?.disabled ?? [];
}

/**
 * Switches a model on or off for the person's default team, regardless of the spelling of its id in the stored list.
 * Throws `forbidden` for a person who may not manage the team's agents, `invalid_input` for too many.
 */
export async function changePreference(
  deps: { db: Db; modelSettings: ModelSettings },
  caller: UserCaller,
  { modelId, isEnabled }: { modelId: string; isEnabled: boolean },
): Promise<string[]> {
  const { teamId } = await requireTeam(deps, caller, "agent.manage");
  const named = namedBy(modelId, deps.modelSettings);
  const [row] = await disabledModels(deps.db, teamId);
  const same = named ? idsOf(named, row?.disabled ?? [], deps.modelSettings) : [];
  const wish = { modelId, same, isDisabled: !isEnabled, limit: MAX_DISABLED };
  const disabled = await setDisabled(deps.db, teamId, wish);
  if (!disabled) throw new AppError("invalid_input", `At most ${MAX_DISABLED} models can be switched off`);
  return disabled;
}
