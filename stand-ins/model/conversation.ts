import { z } from "zod";

/**
 * The fields that the demo model reads of a chat completion request.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z
        .union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))])
        .nullish(),
    }),
  ),
  tools: z
    .array(
      z.object({
        function: z.object({
          name: z.string(),
          parameters: z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
        }),
      }),
    )
    .nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;
type ChatMessage = ChatRequest["messages"][number];

/** The current state: the user's request, and the model's progress. */
export interface Moment {
  /** Text of the last user message. */
  prompt: string;
  /** Number of the model's answers since. */
  turn: number;
  /** Texts of the tools' results since. */
  results: readonly string[];
  /** Number of pictures in the last user message. */
  pictures: number;
  /** The names of each offered tool's parameters. */
  tools: ReadonlyMap<string, readonly string[]>;
}

export function momentOf({ messages, tools }: ChatRequest): Moment {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const since = messages.slice(asked + 1);
  return {
    prompt: textOf(messages[asked]),
    turn: since.filter(({ role }) => role === "assistant").length,
    results: since.filter(({ role }) => role === "tool").map(textOf),
    pictures: picturesIn(messages[asked]),
    tools: new Map(
      (tools ?? []).map(({ function: tool }) => [tool.name, Object.keys(tool.parameters?.properties ?? {})]),
    ),
  };
}

function picturesIn(message: ChatMessage | undefined): number {
  const content = message?.content ?? "";
  return typeof content === "string" ? 0 : content.filter(({ type }) => type === "image_url").length;
}

export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
}
