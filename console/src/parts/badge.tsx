import type { ComponentChildren } from "preact";

export type BadgeKind = "plain" | "good" | "bad" | "warn" | "accent";

/** A short word about something, such as how it stands. */
export function Badge({ kind = "plain", children }: { kind?: BadgeKind; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** How each state of the service is called, and its colour. One word for one thing, on all pages. */
const STATES: Readonly<Record<string, readonly [word: string, kind: BadgeKind]>> = {
  // Projects
  running: ["Running", "good"],
  stopped: ["Stopped", "plain"],
  hibernated: ["Asleep", "plain"],
  starting: ["Starting", "accent"],
  initializing: ["Setting up", "accent"],
  stopping: ["Falling asleep", "accent"],
  failed: ["Failed", "bad"],
  ready: ["Ready", "good"],
  // Tasks and chats
  queued: ["Queued", "plain"],
  waiting_approval: ["Needs your input", "warn"],
  completed: ["Done", "good"],
  cancelled: ["Stopped", "plain"],
  success: ["Done", "good"],
  building: ["Building", "accent"],
  deploying: ["Deploying", "accent"],
  deleting: ["Deleting", "accent"],
  active: ["Active", "plain"],
  archived: ["Archived", "plain"],
  // What the installation depends on
  ok: ["OK", "good"],
  // MCP servers
  connected: ["Connected", "good"],
  needs_authorization: ["Needs authorization", "warn"],
  unreachable: ["Unreachable", "bad"],
  error: ["Error", "bad"],
};

const MOVING: ReadonlySet<string> = new Set([
  "starting",
  "initializing",
  "stopping",
  "queued",
  "building",
  "deploying",
  "deleting",
]);

/** A state in words that people know. One that is not known has its own name. */
export function stateWord(state: string): string {
  if (STATES[state]) return STATES[state][0];
  const words = state
    .replaceAll("_", " ")
    .replaceAll(/\b(?:api|id|url)(?=s?\b)/gu, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** How something stands; `word` where it is not called as in the list above. */
export function State({ of: state, word = stateWord(state) }: { of: string; word?: string }) {
  const kind = STATES[state]?.[1] ?? "plain";
  return <span class={`badge dot ${kind}${MOVING.has(state) ? " moving" : ""}`}>{word}</span>;
}
