import { CEILINGS, OPEN_CEILINGS, type Owner } from "#src/domain/operations/limits/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { heldIn } from "./queries.ts";
import { ceilingOf, isCeiling, type AllCeilings } from "./ceiling.ts";

/** A ceiling as its holder sees it. */
export interface Limit {
  name: string;
  whose: Owner | (typeof OPEN_CEILINGS)[keyof typeof OPEN_CEILINGS]["whose"];
  /** Null where it is counted for each project, chat, address or task. */
  used: number | null;
  /** Null for no limit. */
  max: number | null;
}

/** Every ceiling, with what a person and their team hold. */
export async function readCeilings(
  deps: { db: Db; config: AllCeilings },
  { userId, teamId }: { userId: string; teamId: string },
): Promise<Limit[]> {
  const owners: Readonly<Record<string, string>> = { person: userId, team: teamId };
  const names = Object.keys(CEILINGS).filter(isCeiling);
  const counted = names.flatMap((ceiling) => {
    const owner = owners[ceilingOf(ceiling).whose];
    return owner === undefined ? [] : [{ ceiling, owner }];
  });
  const held = await heldIn(deps, counted);
  const limits = held.map(({ name, held: used, most: max }) => ({
    name,
    whose: ceilingOf(name).whose,
    used,
    max,
  }));
  const others = names.filter((name) => owners[ceilingOf(name).whose] === undefined);
  return [
    ...limits,
    ...others.map((name) => uncounted(deps.config, name, ceilingOf(name))),
    ...openLimits(deps.config),
  ];
}

const openLimits = (config: AllCeilings) =>
  Object.entries(OPEN_CEILINGS).map(([name, ceiling]) => uncounted(config, name, ceiling));

function uncounted<W extends Limit["whose"]>(
  config: AllCeilings,
  name: string,
  { whose, variable }: { whose: W; variable: unknown },
) {
  const max = Object.entries(config).find(([each]) => each === variable)?.[1] ?? 0;
  return { name, whose, used: null, max: max === 0 ? null : max };
}
