import { z } from "zod";
import type { Scope } from "#src/domain/organisations/access/scopes.ts";
import type { ToolDefinition } from "#src/models/model.ts";
import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { WebSearch } from "#src/platform/web-search/web-search.ts";
import type { AgentMessages } from "../messages.ts";
import type { AgentShells } from "../shells.ts";
import { readArguments } from "./read-arguments.ts";

/**
 * What a call does to the world; it decides both order and recovery. Calls that `read` may run side by side, all others
 * run in the order the model wrote them. A call that was interrupted before its result was recorded is run again when
 * it is `read` or `idempotent`; of `other` the model is told that the outcome is unknown.
 */
export type ToolEffect = "read" | "idempotent" | "other";

/** Everything a tool may touch. */
export interface ToolContext extends ToolServices {
  runtime: AgentRuntime;
  project: ToolProject;
  chatId: string;
  /** Who makes the call. */
  model: { name: string; seesPictures: boolean };
  /** Aborts the run; its reason is what `runTool` then throws. */
  signal: AbortSignal;
  /** Whether a call may change nothing of the project: edit mode `plan`. */
  readOnly: boolean;
  /** Permissions of the key that started the task; null grants all. */
  scopes: readonly string[] | null;
}

/** What tools reach beyond the project's files and commands; `src/agent/tool-services.ts` makes it for a task. */
export interface ToolServices {
  /** For every address the model names. */
  safeFetch: SafeFetch;
  /** `undefined` where no search provider is set up: its tool is not offered then. */
  webSearch: WebSearch | undefined;
  /** Shell sessions of the task's person in the task's project. */
  shells: AgentShells;
  messages: AgentMessages;
}

export interface ToolProject {
  id: string;
  name: string;
  slug: string;
  description: string;
  ownerId: string;
  createdAt: Date;
  updatedAt: Date | null;
}

export interface ToolSuccess {
  success: true;
  /** One sentence: what was done. */
  message: string;
  [field: string]: unknown;
}

export interface ToolFailure {
  success: false;
  /** One sentence: what is wrong. */
  error: string;
  /** What the model can do about it. */
  suggestion?: string;
  [field: string]: unknown;
}

export type ToolResult = ToolSuccess | ToolFailure;

export interface Tool {
  readonly name: string;
  /** Other names a call may use; the model is shown only `name`. */
  readonly aliases: readonly string[];
  readonly effect: ToolEffect;
  /** Permission the task's key needs; null needs none. */
  readonly scope: Scope | null;
  /** Whether a person has to allow a call in edit mode `ask`. */
  readonly dangerous: boolean;
  /** Whether calls run in edit mode `plan`, in which nothing of the project may change. */
  readonly runsInPlan: boolean;
  /** Whether there is what the tool needs; one that is not offered does not exist for the model. */
  isOffered(services: ToolServices): boolean;
  readonly definition: ToolDefinition;
  /** Check the arguments as the model wrote them, then run. Arguments that do not fit are a failure, not a throw. */
  run(argumentsText: string, context: ToolContext): Promise<ToolResult>;
}

interface ToolSpec<Shape extends z.ZodRawShape> {
  name: string;
  description: string;
  /** Every field carries a description. */
  parameters: z.ZodObject<Shape>;
  effect: ToolEffect;
  /** No default: a tool for which it was forgotten does not compile. */
  scope: Scope | null;
  /** False when absent. */
  dangerous?: boolean;
  /** When absent, true of tools that read and are not dangerous. */
  runsInPlan?: boolean;
  /** Always when absent. */
  isOffered?: (services: ToolServices) => boolean;
  aliases?: readonly string[];
  /** Other names of fields, at any depth: `{ search: "old_str" }`. */
  argumentAliases?: Readonly<Record<string, string>>;
  run(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<ToolResult>;
}

/** A tool from its schema: the model sees the schema, and `run` sees only arguments that fit it. */
export function defineTool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): Tool {
  const schema = spec.parameters.strict();
  const definition: ToolDefinition = {
    name: spec.name,
    description: spec.description,
    parameters: toParameters(schema),
  };
  return {
    name: spec.name,
    aliases: spec.aliases ?? [],
    effect: spec.effect,
    scope: spec.scope,
    dangerous: spec.dangerous ?? false,
    runsInPlan: spec.runsInPlan ?? (spec.effect === "read" && !spec.dangerous),
    isOffered: spec.isOffered ?? (() => true),
    definition,
    async run(argumentsText, context) {
      const args = readArguments(argumentsText, schema, spec.argumentAliases ?? {});
      if (!args.ok) return failure(args.error, signatureOf(definition));
      return spec.run(args.value, context);
    },
  };
}

export function failure(
  error: string,
  suggestion?: string,
  fields: Record<string, unknown> = {},
): ToolFailure {
  return { success: false, error, ...(suggestion === undefined ? {} : { suggestion }), ...fields };
}

/** JSON Schema of the arguments, without what some providers refuse (`$schema`, `propertyNames`) and what only costs tokens. */
function toParameters(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ jsonSchema }) => {
      delete jsonSchema.propertyNames;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return parameters;
}

function signatureOf({ name, parameters }: ToolDefinition): string {
  const required = z.array(z.string()).catch([]).parse(parameters["required"]);
  const known = Object.keys(z.record(z.string(), z.unknown()).catch({}).parse(parameters["properties"]));
  if (known.length === 0) return `${name} takes no arguments: call it with {}.`;
  const words = known.map((field) => (required.includes(field) ? `${field} (required)` : field));
  return `Call ${name} again with one JSON object of: ${words.join(", ")}.`;
}
