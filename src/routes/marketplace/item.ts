import { z } from "zod";
import { AgentId } from "#src/http/schemas.ts";

export const AGENTS = "/api/marketplace/agents";
export const BASES = "/api/marketplace/bases";

/** An id or a slug. */
export const ItemName = z.string().max(100);
export const AgentName = z.object({ agent: ItemName.describe("Id or slug of the agent") });
export const BaseName = z.object({ base: ItemName.describe("Id or slug of the template") });

/** What a change of an agent responds with. */
export const AgentDone = z
  .object({ message: z.string(), agent_id: AgentId, success: z.literal(true) })
  .meta({ id: "ChangedMarketplaceAgent" });

export const agentDone = (agentId: string, message: string) => ({
  message,
  agent_id: agentId,
  success: true as const,
});

/** Cents as dollars, the unit of prices on the wire. */
export const dollars = (cents: number): number => cents / 100;

/** Whether the time of a library row is over. */
export const isPast = (expiresAt: Date | null): boolean => expiresAt !== null && expiresAt <= new Date();
