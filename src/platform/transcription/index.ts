import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { readAtMost } from "#src/lib/read-at-most.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";
import type { Recording, Transcription } from "./transcription.ts";

export interface TranscriptionConfig {
  isOn: boolean;
  model: string;
  /** The platform's own account at an OpenAI-style server. */
  account: { apiKey: string | undefined; baseUrl: string };
  /** OpenAI-style address of the demo model's server, which stands in for an account; absent in production. */
  demoUrl: string | undefined;
  fetch: typeof fetch;
}

const TIMEOUT_MS = 60_000;
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const TRIES = 2;

const Answer = z.object({ text: z.string() });

/** Creates the transcription of voice messages; `undefined` when it is switched off or has no account. */
export function createTranscription(config: TranscriptionConfig): Transcription | undefined {
  const { isOn, account, demoUrl, model } = config;
  if (!isOn) return undefined;
  if (account.apiKey !== undefined) {
    return transcribeAt({ ...config, model, baseUrl: account.baseUrl, apiKey: account.apiKey });
  }
  return demoUrl === undefined
    ? undefined
    : transcribeAt({ ...config, model, baseUrl: demoUrl, apiKey: "demo" });
}

interface Server extends Pick<TranscriptionConfig, "model" | "fetch"> {
  baseUrl: string;
  apiKey: string;
}

/** https://platform.openai.com/docs/api-reference/audio/createTranscription */
function transcribeAt(server: Server): Transcription {
  return {
    async transcribe(recording) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await ask(server, recording);
        } catch (error) {
          const isPassing = error instanceof AppError && error.code === "unavailable";
          if (!isPassing || attempt === TRIES) throw error;
        }
      }
    },
  };
}

/**
 * The address is the operator's, so it may lie in a private network. Redirects are not followed, so that the key is sent
 * nowhere else. Errors contain neither the address nor the key.
 */
async function ask({ baseUrl, apiKey, model, fetch: send }: Server, recording: Recording): Promise<string> {
  const body = new FormData();
  body.set("model", model);
  body.set("response_format", "json");
  body.set("file", new File([recording.bytes], fileNameOf(recording), { type: recording.mimeType }));
  using limit = timeLimit(TIMEOUT_MS);
  const { signal } = limit;
  let status: number;
  let text: string;
  try {
    const response = await send(`${baseUrl}/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "user-agent": USER_AGENT },
      body,
      redirect: "manual",
      signal,
    });
    status = response.status;
    text = await readText(response);
  } catch {
    const what = signal.aborted ? "did not answer in time" : "could not be reached";
    // A recording that takes too long once takes too long again.
    throw new AppError(signal.aborted ? "provider_failed" : "unavailable", `The transcription ${what}`);
  }
  const answer = status === 200 ? safeParseJson(text, Answer) : undefined;
  if (answer) return answer.value.text.trim();
  const isPassing = status >= 500 || status === 429 || status === 408;
  throw new AppError(isPassing ? "unavailable" : "provider_failed", `The transcription answered ${status}`);
}

async function readText(response: Response): Promise<string> {
  const bytes = await readAtMost(response.body, MAX_ANSWER_BYTES);
  if (!bytes) throw new Error("The answer is too large for a transcript");
  return new TextDecoder().decode(bytes);
}

/**
 * OpenAI reads the format from the name's ending, and knows these. Signal's `audio/aac` is not among them: its server
 * decodes the bytes, so the nearest ending is given.
 */
const ENDINGS: Readonly<Record<string, string>> = {
  "audio/aac": "m4a",
  "audio/flac": "flac",
  "audio/m4a": "m4a",
  "audio/mp3": "mp3",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/webm": "webm",
  "audio/x-m4a": "m4a",
  "audio/x-wav": "wav",
  "video/mp4": "mp4",
  "video/webm": "webm",
};

/** Most platforms record Ogg with Opus. */
function fileNameOf({ mimeType }: Recording): string {
  const [type = ""] = mimeType.toLowerCase().split(";");
  return `voice.${ENDINGS[type.trim()] ?? "ogg"}`;
}
