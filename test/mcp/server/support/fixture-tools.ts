import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

/** Signs what a client has to give back unchanged. */
export const states = createRequestStateCodec<number>({ key: "a secret of the fixture, 32 bytes" });

/** A question with one answer of this name, as a client shows it. */
export const question = (message: string, name: string, isYesOrNo = false) => ({
  method: "elicitation/create" as const,
  params: {
    message,
    requestedSchema: {
      type: "object" as const,
      properties: { [name]: isYesOrNo ? { type: "boolean" as const } : { type: "string" as const } },
      required: [name],
    },
  },
});

const sampling = (text: string) => ({
  method: "sampling/createMessage" as const,
  params: { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 50 },
});

const ROOTS = { method: "roots/list" as const };

type Answer = CallToolResult | InputRequiredResult;
type Wanted = NonNullable<InputRequiredResult["inputRequests"]>;

export const ask = (inputRequests: Wanted, requestState?: string): InputRequiredResult => ({
  resultType: "input_required",
  inputRequests,
  ...(requestState !== undefined && { requestState }),
});

/** Whether the client has answered each of the questions. */
export const areAnswered = ({ mcpReq }: ServerContext, wanted: Wanted): boolean =>
  Object.keys(wanted).every((name) => Object.hasOwn(mcpReq.inputResponses ?? {}, name));

/** A tool that first asks, with a signed state on request, and then says something. */
const asking =
  (wanted: Wanted, text: string, { isStateful = false } = {}) =>
  async (context: ServerContext): Promise<Answer> => {
    if (!areAnswered(context, wanted)) return ask(wanted, isStateful ? await states.mint(1) : undefined);
    return said(text);
  };

const NAME = { user_name: question("What is your name?", "name") };
const CONFIRM = { confirm: question("Please confirm", "ok", true) };
const ALL = { ...NAME, greeting: sampling("Generate a greeting"), client_roots: ROOTS };
const STEPS = [
  { step1: question("Step 1: What is your name?", "name") },
  { step2: question("Step 2: What is your favorite color?", "color") },
];

const RESOURCE = {
  type: "resource" as const,
  resource: {
    uri: "test://embedded-resource",
    mimeType: "text/plain",
    text: "This is an embedded resource content.",
  },
};
const IMAGE = { type: "image" as const, data: PIXEL, mimeType: "image/png" };

async function withProgress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken ?? 0;
  for (const progress of [0, 50, 100]) {
    const params = { progressToken, progress, total: 100 };
    await mcpReq.notify({ method: "notifications/progress", params });
  }
  return said(String(progressToken));
}

async function withLogging({ mcpReq }: ServerContext): Promise<CallToolResult> {
  for (const step of ["started", "processing", "completed"])
    await mcpReq.log("info", `Tool execution ${step}`);
  return said("Logged");
}

async function multiRound({ mcpReq }: ServerContext): Promise<Answer> {
  const round = mcpReq.requestState<number>() ?? 0;
  const next = STEPS[round];
  return next ? ask(next, await states.mint(round + 1)) : said("Done after two questions");
}

const Capabilities = z.object({ elicitation: z.looseObject({}), sampling: z.looseObject({}) }).partial();

async function withinCapabilities({ mcpReq }: ServerContext): Promise<Answer> {
  const { elicitation, sampling: samples } = Capabilities.parse(
    Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY) ?? {},
  );
  const wanted = {
    ...(elicitation !== undefined && NAME),
    ...(samples !== undefined && { greeting: sampling("Generate a greeting") }),
  };
  return Object.keys(wanted).length > 0 ? ask(wanted) : said("The client can be asked nothing");
}

/** What the suite calls, by name. Source: its descriptions of each scenario. */
const TOOLS: Readonly<Record<string, (context: ServerContext) => Answer | Promise<Answer>>> = {
  test_simple_text: () => said("This is a simple text response for testing."),
  test_image_content: () => ({ content: [IMAGE] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: SOUND, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({ content: [RESOURCE] }),
  test_multiple_content_types: () => ({ content: [...said("Several types").content, IMAGE, RESOURCE] }),
  test_error_handling: () => ({
    ...said("This tool intentionally returns an error for testing"),
    isError: true,
  }),
  test_tool_with_progress: withProgress,
  test_tool_with_logging: withLogging,
  test_logging_tool: withLogging,
  test_missing_capability: () => ask({ greeting: sampling("Generate a greeting") }),
  test_streaming_elicitation: asking(NAME, "Hello"),
  test_input_required_result_elicitation: asking(NAME, "Hello, Alice!"),
  test_input_required_result_sampling: asking(
    { capital_question: sampling("What is the capital of France?") },
    "Paris",
  ),
  test_input_required_result_list_roots: asking({ client_roots: ROOTS }, "The roots were read"),
  test_input_required_result_request_state: asking(CONFIRM, "state-ok", { isStateful: true }),
  test_input_required_result_multiple_inputs: asking(ALL, "All answered", { isStateful: true }),
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_tampered_state: asking(CONFIRM, "Untouched", { isStateful: true }),
  test_input_required_result_capabilities: withinCapabilities,
};

export function offerFixtureTools(server: McpServer): void {
  for (const [name, answer] of Object.entries(TOOLS)) {
    const shown = { description: `For the scenario of ${name}`, inputSchema: z.object({}) };
    server.registerTool(name, shown, (_, context) => answer(context));
  }
}
