import { z } from "zod";
import type { ApiEnvironment } from "../channel.ts";
import {
  answerJson,
  callPlatform,
  type PlatformAnswer,
  type PlatformCall,
  quoted,
  retryAfterOf,
  unreachable,
} from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import type { WhatsappCredentials } from "./credentials.ts";
import { failureKind, whatsappFailure } from "./failures.ts";

/** WhatsApp takes one message to the same person in about six seconds (error 131056). */
const PAIR_LIMIT = 131_056;
const PAIR_SECONDS = 6;
/** An unknown error: WhatsApp does not say whether it did what it was asked. */
const UNKNOWN_ERROR = 1;

const failedAnswer = z.looseObject({
  error: z.looseObject({
    code: z.int().optional(),
    message: z.string().optional(),
    error_data: z.looseObject({ details: z.string().optional() }).nullish(),
  }),
});

/** A call of the Cloud API, below the address of the API. */
export interface GraphCall extends Pick<PlatformCall, "method" | "isSend" | "timeoutMs"> {
  path: string;
  /** An object is sent as JSON. */
  body?: Readonly<Record<string, unknown>> | FormData;
}

/** The Cloud API with one access token. */
export class Graph {
  readonly #credentials: WhatsappCredentials;
  readonly #environment: Pick<ApiEnvironment, "baseUrls" | "fetch">;

  constructor(credentials: WhatsappCredentials, environment: Pick<ApiEnvironment, "baseUrls" | "fetch">) {
    this.#credentials = credentials;
    this.#environment = environment;
  }

  /** Makes a call and reads what it returns. Throws `PlatformFailure` for everything else. */
  async call<T>({ path, body, ...options }: GraphCall, schema: z.ZodType<T>): Promise<T> {
    const isForm = body instanceof FormData;
    const call = this.describe(`${this.#environment.baseUrls.whatsapp}/${path}`, {
      ...options,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      headers: isForm || body === undefined ? {} : { "content-type": "application/json" },
    });
    const answer = await callPlatform(call);
    if (answer.status !== 200) throw this.failure(call, answer);
    const read = answerJson(answer, schema);
    if (read === undefined) throw unreachable(call, "returned something unreadable");
    return read;
  }

  /** A call with the token, to an address that is known to be WhatsApp's. */
  describe(url: string, options: Omit<PlatformCall, "fetch" | "label" | "url">): PlatformCall {
    const authorization = `Bearer ${this.#credentials.access_token}`;
    return {
      ...options,
      fetch: this.#environment.fetch,
      label: "WhatsApp",
      url,
      headers: { ...options.headers, authorization },
    };
  }

  /** Whether an address may be sent the token: of WhatsApp's files, or of the API itself. */
  isOwn(url: URL): boolean {
    if (url.origin === new URL(this.#environment.baseUrls.whatsapp).origin) return true;
    const isFiles = url.hostname === "fbsbx.com" || url.hostname.endsWith(".fbsbx.com");
    return url.protocol === "https:" && url.port === "" && isFiles;
  }

  /** The failure that an answer tells of. */
  failure({ isSend = false }: PlatformCall, answer: PlatformAnswer): PlatformFailure {
    const { status } = answer;
    const error = answerJson(answer, failedAnswer)?.error;
    const code = error?.code;
    const kind = failureKind(code, status);
    const { access_token: token, app_secret: secret, verify_token: verifyToken } = this.#credentials;
    const told = quoted(error?.error_data?.details ?? error?.message ?? "", [token, secret, verifyToken]);
    const sentence =
      code === undefined
        ? `WhatsApp returned the status ${status}.`
        : `${whatsappFailure(code, told || undefined)}.`;
    const retryAfterSeconds = retryAfterOf(answer) ?? (code === PAIR_LIMIT ? PAIR_SECONDS : undefined);
    const isUnclear = kind === "unreachable" && (code === undefined || code === UNKNOWN_ERROR);
    return new PlatformFailure(kind, sentence, {
      ...(kind === "busy" && retryAfterSeconds !== undefined && { retryAfterSeconds }),
      mayHaveHappened: isSend && isUnclear,
    });
  }
}
