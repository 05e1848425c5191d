import type { api } from "@agent-workspace/client";
import { workspace } from "./workspace.ts";

type Surroundings = api.GetSidebarResponses[200];
type Part = keyof Surroundings;

/** So long what was read at the load counts as read now. */
const FRESH_MS = 10_000;

/** The project whose page was loaded, by the id or slug of its address; undefined on other pages. */
export const loadedProject = /^\/app\/projects\/(?!new(?:\/|$))(?<project>[^/]+)/u.exec(location.pathname)
  ?.groups?.["project"];

/** Parts that no read has taken. */
const untaken = new Set<Part>(["me", "teams", "tree", "credits", "approvals", "role"]);
let begun: { at: number; answer: Promise<Surroundings | undefined> } | undefined;

/**
 * Reads a part of what stands around every page. The first reads of a page share one request, since a person has only so many
 * in a minute; each part is taken from it once. What it lacks is read by itself, and so is all of it where it is refused.
 */
export async function surrounding<P extends Part>(
  part: P,
  read: () => Promise<NonNullable<Surroundings[P]>>,
): Promise<NonNullable<Surroundings[P]>> {
  if (!untaken.delete(part)) return read();
  begun ??= { at: Date.now(), answer: ask() };
  if (Date.now() - begun.at > FRESH_MS) return read();
  const answer = await begun.answer;
  return answer?.[part] ?? read();
}

function ask(): Promise<Surroundings | undefined> {
  const query = {
    shared: "true" as const,
    ...(loadedProject !== undefined && { project_id: loadedProject }),
  };
  return workspace.request("GET", "/api/sidebar", { query }).catch(() => undefined);
}
