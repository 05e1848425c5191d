import { signal, type Signal } from "@preact/signals";
import { readStored } from "./stored.ts";

export type EditMode = "allow" | "ask" | "plan";

/** Something that was chosen, with the name that it had then. */
export interface Chosen {
  readonly id: string;
  readonly name: string;
}

/** How messages of a project are sent. What is undefined is the chat's own, or the service's. */
export interface Choices {
  readonly mode: EditMode;
  readonly model: Chosen | undefined;
  readonly agent: Chosen | undefined;
}

/** One for each project, as several parts of a page read it. */
const known = new Map<string, Signal<Choices>>();

/** What the person chose in a project; this browser remembers it. */
export function choicesOf(project: string): Signal<Choices> {
  const found = known.get(project) ?? signal(stored(nameOf(project)));
  known.set(project, found);
  return found;
}

export function choose(project: string, change: Partial<Choices>): void {
  const choices = choicesOf(project);
  choices.value = { ...choices.value, ...change };
  localStorage.setItem(nameOf(project), JSON.stringify(choices.value));
}

/** As a message has them. */
export function messageFields({ mode, model, agent }: Choices): Readonly<Record<string, unknown>> {
  return { edit_mode: mode, ...(model && { model: model.id }), ...(agent && { agent_id: agent.id }) };
}

const nameOf = (project: string) => `composer.${project}`;

function stored(name: string): Choices {
  const value = readStored(localStorage, name);
  const { mode, model, agent }: Record<string, unknown> = { ...(typeof value === "object" && value) };
  return {
    mode: mode === "allow" || mode === "plan" ? mode : "ask",
    model: isChosen(model) ? model : undefined,
    agent: isChosen(agent) ? agent : undefined,
  };
}

function isChosen(value: unknown): value is Chosen {
  if (typeof value !== "object" || value === null || !("id" in value && "name" in value)) return false;
  return typeof value.id === "string" && typeof value.name === "string";
}
