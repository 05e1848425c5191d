import { findListedAgent, findListedBase, type Viewer } from "#src/domain/marketplace/catalogue/index.ts";
import type { ItemKind } from "#src/domain/organisations/library/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { deleteReviewRow, pageOfReviews, upsertReview } from "./queries.ts";

interface Named {
  kind: ItemKind;
  /** Id or slug. */
  name: string;
}

/**
 * Stores the caller's review of an item that the caller's team has taken; an earlier one is replaced. Throws `not_found`, and
 * `forbidden` for an item that the team does not have.
 */
export async function reviewItem(
  deps: { db: Db },
  caller: UserCaller,
  { kind, name, rating, comment }: Named & { rating: number; comment: string | null },
): Promise<void> {
  const { itemId, isPurchased } = await requireItem(deps, caller, { kind, name });
  if (!isPurchased) throw new AppError("forbidden", "Only teams that have it in their library can review it");
  await upsertReview(deps.db, { kind, itemId, userId: caller.userId, rating, comment });
}

/** Deletes the caller's review of an item. Throws `not_found`. */
export async function deleteReview(deps: { db: Db }, caller: UserCaller, named: Named): Promise<void> {
  const { itemId } = await requireItem(deps, caller, named);
  const isDeleted = await deleteReviewRow(deps.db, { kind: named.kind, itemId, userId: caller.userId });
  if (!isDeleted) throw new AppError("not_found", "You have not reviewed it");
}

/** A page of an item's reviews, and the viewer's own one. Throws `not_found`. */
export async function listReviews(
  deps: { db: Db },
  viewer: Viewer,
  { kind, name, ...page }: Named & { page: number; limit: number },
) {
  const { itemId } = await requireItem(deps, viewer, { kind, name });
  return pageOfReviews(deps.db, { kind, itemId, userId: viewer?.userId }, page);
}

async function requireItem(deps: { db: Db }, viewer: Viewer, { kind, name }: Named) {
  if (kind === "agent") {
    const { agent, isPurchased } = await findListedAgent(deps, viewer, name);
    return { itemId: agent.id, isPurchased };
  }
  const { base, isPurchased } = await findListedBase(deps, viewer, name);
  return { itemId: base.id, isPurchased };
}
