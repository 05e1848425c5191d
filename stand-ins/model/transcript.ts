import type http from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { decodeText } from "#src/lib/decode-text.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";

/** What a recording asks to fail with. */
const Failure = z.strictObject({ error: z.strictObject({ status: z.number().int().min(400).max(599) }) });

/**
 * The recording of a transcription request; undefined for another body.
 * https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export async function recordingIn(
  request: http.IncomingMessage,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const body = new Uint8Array(await buffer(request));
  const type = request.headers["content-type"] ?? "";
  const form = await new Response(body, { headers: { "content-type": type } })
    .formData()
    .catch(() => undefined);
  const file = form?.get("file");
  const isComplete = file instanceof File && typeof form?.get("model") === "string";
  return isComplete ? new Uint8Array(await file.arrayBuffer()) : undefined;
}

/**
 * What the demo model hears: a recording whose bytes are a text says that text, and any other says its size. The text
 * `{"error": {"status": 503}}` fails.
 */
export function transcriptOf(
  recording: Uint8Array<ArrayBuffer>,
): { text: string; error?: undefined } | { error: { status: number } } {
  const text = decodeText(recording);
  if (text === undefined) return { text: `This is a recording of ${recording.byteLength} bytes.` };
  return safeParseJson(text, Failure)?.value ?? { text };
}
