import { z } from "zod";
import { oneLine } from "#src/lib/one-line.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";

/** What a provider says of an error. */
export interface ToldError {
  /** What the provider tells people; undefined if the body has no text. */
  sentence: string | undefined;
  /** Every code, type and status in it, in lower case, separated by spaces. */
  codes: string;
}

const field = z.unknown().optional();

/**
 * The fields of the known forms: `{"error":{"message","type","code"}}` (OpenAI, Anthropic), `{"object":"error","message"}`
 * (vLLM, Mistral), `[{"error":{"status"}}]` (Gemini), `{"detail"}` (FastAPI), `{"error":"…"}` (Ollama), with the
 * upstream's own answer in `metadata.raw` (OpenRouter).
 */
const Body = z.object({
  error: field,
  message: field,
  detail: field,
  msg: field,
  type: field,
  code: field,
  status: field,
  error_code: field,
  details: field,
  metadata: z.object({ raw: field }).optional().catch(undefined),
});

/** How deep a sentence may be wrapped. */
const MAX_LEVELS = 6;

/** Reads an error in any form: a JSON value, or the text or the page of a gateway. */
export function readError(body: unknown): ToldError {
  const codes: string[] = [];
  const sentence = sentenceIn(body, codes, MAX_LEVELS);
  return { sentence, codes: codes.join(" ").toLowerCase() };
}

function sentenceIn(body: unknown, codes: string[], levels: number): string | undefined {
  if (typeof body === "string") return sentenceOf(body);
  if (levels === 0) return undefined;
  if (Array.isArray(body)) {
    const sentences = body.slice(0, 5).flatMap((each) => sentenceIn(each, codes, levels - 1) ?? []);
    return sentences.length > 0 ? sentences.join("; ") : undefined;
  }
  const told = Body.safeParse(body).data;
  if (!told) return undefined;
  for (const code of [told.code, told.type, told.status, told.error_code]) {
    if (typeof code === "string" || typeof code === "number") codes.push(String(code));
  }
  const inside = [told.error, told.message, told.detail, told.msg];
  // Frameworks name the status in `error` and tell the reason beside it, so texts come after objects.
  const ordered = [...inside.filter((each) => typeof each !== "string"), ...inside.slice(1), told.error];
  const own = firstOf(ordered, (each) => sentenceIn(each, codes, levels - 1));
  sentenceIn(told.details, codes, 1);
  const raw = told.metadata?.raw;
  const relayed = sentenceIn(typeof raw === "string" ? jsonOrText(raw) : raw, codes, levels - 1);
  return own !== undefined && relayed !== undefined ? `${own}: ${relayed}` : (own ?? relayed);
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the JSON value of a text, or the text. */
export function jsonOrText(text: string): unknown {
  return safeParseJson(text, z.unknown())?.value ?? text;
}

/** Most characters of a text that are read. */
const READ_CHARS = 20_000;

function sentenceOf(text: string): string | undefined {
  const head = text.slice(0, READ_CHARS);
  const page = /<(?:title|h1)[^>]*>([^<]+)</iu.exec(head)?.[1];
  const plain = /^\s*</u.test(head) ? (page ?? head.replaceAll(/<[^>]*>/gu, " ")) : head;
  return oneLine(plain) || undefined;
}

const Frame = z.object({
  error: field,
  object: field,
  type: field,
  choices: field,
  message: field,
  detail: field,
});

/** Returns the error that a frame of a stream contains, in any form; undefined for a frame of an answer. */
export function errorInFrame(raw: unknown): unknown {
  if (Array.isArray(raw)) return raw;
  const frame = Frame.safeParse(raw).data;
  if (!frame) return undefined;
  const says = frame.message !== undefined || frame.detail !== undefined;
  const isError =
    Boolean(frame.error) ||
    frame.object === "error" ||
    frame.type === "error" ||
    (says && frame.choices === undefined && frame.type === undefined);
  return isError ? raw : undefined;
}
