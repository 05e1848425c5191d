import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { Context } from "../../context.ts";
import { objectOf, parseJson, numberOf } from "../../json.ts";
import { findTarget, openService } from "../../service.ts";
import { writePrivateFile } from "../../session/private-file.ts";

/** Names of a service that arguments may have. */
export interface Names {
  readonly projects: readonly string[];
  readonly tasks: readonly string[];
}

interface Cached extends Names {
  /** Milliseconds since they were asked for. */
  readonly age: number;
}

/** Names that no shell takes for anything else. */
const PLAIN = /^[\w.-]+$/u;
const MAX_TASKS = 20;
const NONE: Cached = { projects: [], tasks: [], age: Number.POSITIVE_INFINITY };

/** The names of the service as they were last asked for: a completion must not wait for a network. */
export async function cachedNames(context: Context): Promise<Cached> {
  const { address } = await findTarget(context);
  try {
    const stored = objectOf(parseJson(await readFile(fileOf(context), "utf8")));
    const names = objectOf(stored[address]);
    const asked = numberOf(names, "asked_at");
    if (asked === undefined) return NONE;
    return { projects: plainOf(names["projects"]), tasks: plainOf(names["tasks"]), age: Date.now() - asked };
  } catch {
    return NONE;
  }
}

/** Asks for the names, and keeps them. */
export async function refreshNames(context: Context): Promise<void> {
  const service = await openService(context);
  const { workspace, address } = service;
  const projects = await workspace.request("GET", "/api/projects");
  const { items: tasks } = await workspace.tasks.list({ limit: MAX_TASKS });
  const names = {
    asked_at: Date.now(),
    projects: projects.map(({ slug }) => slug),
    tasks: tasks.map(({ task_id }) => task_id),
  };
  await writePrivateFile(fileOf(context), JSON.stringify({ [address]: names }));
}

function plainOf(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === "string" && PLAIN.test(each))
    : [];
}

/** `$XDG_CACHE_HOME/workspace`, or `~/.cache/workspace`. */
function fileOf({ environment }: Context): string {
  const given = environment["XDG_CACHE_HOME"];
  const base = given !== undefined && path.isAbsolute(given) ? given : path.join(homedir(), ".cache");
  return path.join(base, "workspace", "names.json");
}
