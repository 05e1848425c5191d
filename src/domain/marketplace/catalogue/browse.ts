import { maySeeSource, withoutSource } from "#src/domain/organisations/library/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { agentsLike, agentWithReviews, pageOfAgents } from "./queries/agents.ts";
import { baseWithReviews, pageOfBases, type ListedBase } from "./queries/bases.ts";
import type { CatalogueFilter } from "./queries/shared.ts";

/** Who looks: a person who is signed in, or a visitor. */
export type Viewer = { userId: string } | undefined;

const ITEM_NAME = /^[a-z0-9-]{1,100}$/iu;

/** A page of the agents in the marketplace. */
export function browseAgents(deps: { db: Db }, viewer: Viewer, filter: CatalogueFilter) {
  return pageOfAgents(deps.db, filter, viewer?.userId);
}

/** A page of the templates in the marketplace. */
export async function browseBases(deps: { db: Db }, viewer: Viewer, filter: CatalogueFilter) {
  const { rows, total } = await pageOfBases(deps.db, filter, viewer?.userId);
  return { rows: rows.map(withoutSoldAddress), total };
}

/**
 * An agent in the marketplace or of the viewer's team, by id or slug, with its newest reviews; without its source where the
 * viewer may not see it. Throws `not_found`.
 */
export async function findListedAgent(deps: { db: Db }, viewer: Viewer, name: string) {
  const found = ITEM_NAME.test(name) ? await agentWithReviews(deps.db, name, viewer?.userId) : undefined;
  if (!found) throw new AppError("not_found", "Agent not found");
  const { agent, viewerTeamId, ...rest } = found;
  const isShown = maySeeSource(agent, viewerTeamId ?? undefined, rest.isPurchased);
  return { ...rest, agent: isShown ? agent : withoutSource(agent) };
}

/** Agents that resemble another, the closest first. Throws `not_found` for an agent that the viewer cannot see. */
export async function findRelatedAgents(
  deps: { db: Db },
  viewer: Viewer,
  { name, limit }: { name: string; limit: number },
) {
  const { agent } = await findListedAgent(deps, viewer, name);
  return agentsLike(deps.db, agent, { limit, userId: viewer?.userId });
}

/**
 * A public template or one of the viewer's own, by id or slug, with its newest reviews; without the address of its repository
 * where the viewer would have to pay for it. Throws `not_found`.
 */
export async function findListedBase(deps: { db: Db }, viewer: Viewer, name: string) {
  const found = ITEM_NAME.test(name) ? await baseWithReviews(deps.db, name, viewer?.userId) : undefined;
  if (!found) throw new AppError("not_found", "Template not found");
  const isOwn = viewer !== undefined && found.base.createdBy === viewer.userId;
  return isOwn ? found : withoutSoldAddress(found);
}

/** The address of a public repository is all that a template of it is: it is what is sold. */
function withoutSoldAddress<T extends Pick<ListedBase, "base" | "isPurchased">>(listed: T): T {
  if (listed.base.pricingType === "free" || listed.isPurchased) return listed;
  return { ...listed, base: { ...listed.base, gitRepoUrl: null } };
}
