import { z } from "zod";
import type { Scope } from "#src/domain/access/permissions/scopes.ts";
import type { ToolDefinition } from "#src/models/model.ts";
import type { McpAnswer, McpInput, McpNeedsInput, McpTask } from "#src/platform/mcp-client/mcp-client.ts";
import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { SafeFetch } from "#src/platform/safe-fetch/safe-fetch.ts";
import type { WebSearch } from "#src/platform/web-search/web-search.ts";
import type { AgentMessages } from "../services/messages.ts";
import type { AgentSchedules } from "../services/schedules.ts";
import type { AgentShells } from "../services/shells.ts";
import { readArguments } from "./read-arguments.ts";

/**
 * The effect of a call; it decides both order and recovery. `read` calls may run in parallel, all others run in the
 * order in which the model wrote them. A call that was interrupted before its result was recorded runs again if it is
 * `read` or `idempotent`; for `other` the model is told that the outcome is unknown, unless the tool goes on with the call
 * (`Tool.resume`).
 */
export type ToolEffect = "read" | "idempotent" | "other";

/** How far a call is: foreign numbers and text of any size. */
export interface CallProgress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Everything a tool may touch. */
export interface ToolContext extends ToolServices {
  runtime: AgentRuntime;
  project: ToolProject;
  chatId: string;
  /** Identifies the call among those of its task. */
  callId: string;
  /** Shows how far the call is, at a pace that readers can follow. Throws nothing. */
  report: (progress: CallProgress) => void;
  /** A person's answers, of a call that needed them (`NeedsInput`) and is made again. */
  input?: McpInput | undefined;
  /** Answers a question that a server asks while the call is open. `params` is foreign. */
  onQuestion?: ((question: { server: string; params: unknown }) => Promise<McpAnswer>) | undefined;
  /** The model that makes the call. */
  model: { name: string; seesPictures: boolean };
  /** Aborts the run; `runTool` then throws its reason. */
  signal: AbortSignal;
  /** Whether a call may change nothing in the project: edit mode `plan`. */
  readOnly: boolean;
  /** Permissions of the key that started the task; null grants all. */
  scopes: readonly string[] | null;
}

/** Services of tools besides the project's files and commands; `src/agent/tool-services.ts` creates them for a task. */
export interface ToolServices {
  /** For every address that the model names. */
  safeFetch: SafeFetch;
  /** `undefined` without a configured search provider; the tool is then not offered. */
  webSearch: WebSearch | undefined;
  /** Shell sessions of the task's user in the task's project. */
  shells: AgentShells;
  messages: AgentMessages;
  /** Tools of MCP servers; undefined where there are none. */
  foreign?: ForeignTools | undefined;
  /** Undefined in a run of a schedule, which makes no further ones; the tool is then not offered. */
  schedules: AgentSchedules | undefined;
}

/** Tools that differ from task to task. */
export interface ForeignTools {
  readonly tools: readonly Tool[];
  find(name: string): Tool | undefined;
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

/** A deferred call, and what its server is asked or told. */
export interface DeferredRequest {
  /** The server's id of the call. */
  taskId: string;
  /** As `Deferred.tool`. */
  tool: string;
  /** What the server is told; it is asked what has become of the call where this is absent. */
  say?: { answers: Readonly<Record<string, McpAnswer>> } | "cancel" | undefined;
}

/** What a server says of a deferred call. */
export type DeferredState =
  | { kind: "over"; result: ToolResult }
  | ({ kind: "working"; asks: McpNeedsInput["asks"] } & Omit<McpTask, "taskId">)
  /**
   * The server did not say it. `passes` tells how likely another time is to be better; `cause` is that of an unexpected failure, only
   * for the log.
   */
  | { kind: "failed"; passes: "maybe" | "hardly" | "never"; result: ToolFailure; cause?: unknown };

/** What is new of a tool since it was accepted. */
export interface ToolNews {
  /** Shown to the person in place of the tool's description. */
  description: string;
  /** As `Tool.allowance`, for the tool as it is now. */
  allowance: string;
}

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
  /** Whether the tool's requirements are met; the model does not know of a tool that is not offered. */
  isOffered(services: ToolServices): boolean;
  readonly definition: ToolDefinition;
  /** Most tokens of a result that the model is shown, where they are more than usual. */
  readonly resultTokens?: number;
  /** What a chat remembers when all calls of the tool are allowed there; its name when absent. */
  readonly allowance?: string;
  /** Why a person is asked about a call in every edit mode; undefined if there is no reason. */
  whyAskAgain?(): Promise<ToolNews | undefined>;
  /**
   * Checks the arguments as the model wrote them, then runs. Invalid arguments return a failure instead of throwing.
   */
  run(argumentsText: string, context: ToolContext): Promise<ToolResult>;
  /** Goes on with a call whose executor has died, and returns its result; undefined if the call has left nothing to go on with. */
  resume?(argumentsText: string, context: ToolContext): Promise<ToolResult | undefined>;
  /** Asks about a call that `run` has left to its server (`Deferred`), or tells the server something about it. */
  follow?(request: DeferredRequest, context: ToolContext): Promise<DeferredState>;
}

interface ToolSpec<Shape extends z.ZodRawShape> {
  name: string;
  description: string;
  /** Every field has a description. */
  parameters: z.ZodObject<Shape>;
  effect: ToolEffect;
  /** Without a default, so that a tool without it does not compile. */
  scope: Scope | null;
  /** False when absent. */
  dangerous?: boolean;
  /** Defaults to true for tools that read and are not dangerous. */
  runsInPlan?: boolean;
  /** Always offered when absent. */
  isOffered?: (services: ToolServices) => boolean;
  aliases?: readonly string[];
  /** Aliases of fields, at any depth: `{ search: "old_str" }`. */
  argumentAliases?: Readonly<Record<string, string>>;
  run(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<ToolResult>;
  /** As `Tool.resume`. */
  resume?: (args: z.output<z.ZodObject<Shape>>, context: ToolContext) => Promise<ToolResult | undefined>;
}

/** Defines a tool by its schema: the model sees the schema, and `run` receives only arguments that match it. */
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
    async resume(argumentsText, context) {
      const args = readArguments(argumentsText, schema, spec.argumentAliases ?? {});
      return args.ok ? spec.resume?.(args.value, context) : undefined;
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

/**
 * Returns the JSON Schema of the arguments, without keywords that some providers refuse (`$schema`, `propertyNames`)
 * and those that only cost tokens.
 */
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
