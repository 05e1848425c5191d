/** What decides who sees an agent's source. */
interface Guarded {
  teamId: string | null;
  sourceType: "open" | "closed";
  pricingType: "free" | "one_time" | "monthly";
}

/** The source of an agent: what would be enough to make it again. */
interface Source {
  systemPrompt: string;
  tools: string[] | null;
  config: Record<string, unknown> | null;
  toolConfigs: Record<string, unknown> | null;
}

/** An agent whose source is null where the viewer may not see it. */
export type Shown<A extends Source> = Omit<A, keyof Source> & {
  [Field in keyof Source]: Source[Field] | null;
};

/**
 * Whether a team may see an agent's prompt, tools and settings. Those of a closed agent are its own team's alone; those of
 * one that costs money are not for teams that may not use it. `teamId` is undefined for a viewer without a team.
 */
export function maySeeSource(agent: Guarded, teamId: string | undefined, mayUse: boolean): boolean {
  if (agent.teamId !== null && agent.teamId === teamId) return true;
  return agent.sourceType === "open" && (agent.pricingType === "free" || mayUse);
}

export function withoutSource<A extends Source>(agent: A): Shown<A> {
  return { ...agent, systemPrompt: null, tools: null, config: null, toolConfigs: null };
}
