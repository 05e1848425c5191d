import type { api } from "@agent-workspace/client";
import { useRead } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** What the marketplace has. */
export type Kind = "agent" | "base";

/** What agents and templates have in common. */
export type Item = Pick<
  api.MarketplaceBase,
  | "id"
  | "name"
  | "slug"
  | "description"
  | "long_description"
  | "category"
  | "price"
  | "rating"
  | "reviews_count"
  | "features"
  | "is_purchased"
  | "creator_name"
> & { pricing_type: "free" | "monthly" | "one_time" };

/** What a person has said of an item. */
export type OwnReview = NonNullable<api.Reviews["own_review"]>;

/** All reads of the marketplace, which a change makes stale. */
export const MARKETPLACE = ["marketplace"] as const;
const ITEMS = 24;

export const useItems = (kind: Kind, search: string, page: number) =>
  useRead<{ items: Item[]; hasMore: boolean }>([...MARKETPLACE, kind, { search, page }], async (signal) => {
    const query = { page, limit: ITEMS, ...(search !== "" && { search }) };
    if (kind === "agent") {
      const { agents, has_more } = await workspace.request("GET", "/api/marketplace/agents", {
        query,
        signal,
      });
      return { items: agents, hasMore: has_more };
    }
    const { bases, has_more } = await workspace.request("GET", "/api/marketplace/bases", { query, signal });
    return { items: bases, hasMore: has_more };
  });

export const useItem = (kind: Kind, slug: string) =>
  useRead<Item>([...MARKETPLACE, kind, slug], (signal) =>
    kind === "agent"
      ? workspace.request("GET", "/api/marketplace/agents/{agent}", { path: { agent: slug }, signal })
      : workspace.request("GET", "/api/marketplace/bases/{base}", { path: { base: slug }, signal }),
  );

export const useReviews = (kind: Kind, slug: string, page: number) =>
  useRead([...MARKETPLACE, kind, slug, "reviews", page], (signal) => {
    const query = { page };
    return kind === "agent"
      ? workspace.request("GET", "/api/marketplace/agents/{agent}/reviews", {
          path: { agent: slug },
          query,
          signal,
        })
      : workspace.request("GET", "/api/marketplace/bases/{base}/reviews", {
          path: { base: slug },
          query,
          signal,
        });
  });

/** Agents that the team pays for every month, also those that are over. */
export const useSubscriptions = () =>
  useRead([...MARKETPLACE, "subscriptions"], (signal) =>
    workspace.request("GET", "/api/marketplace/subscriptions", { signal }),
  );

export const useLibrary = () =>
  useRead([...MARKETPLACE, "library"], async (signal) => {
    const [{ agents }, { bases }] = await Promise.all([
      workspace.request("GET", "/api/marketplace/my-agents", { signal }),
      workspace.request("GET", "/api/marketplace/my-bases", { signal }),
    ]);
    return { agents, bases };
  });
