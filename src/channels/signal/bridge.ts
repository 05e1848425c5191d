import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { ApiEnvironment } from "../channel.ts";
import {
  answerJson,
  busy,
  callPlatform,
  type PlatformAnswer,
  type PlatformCall,
  quoted,
  retryAfterOf,
} from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import type { SignalCredentials } from "./credentials.ts";
import { refusalFailure } from "./failures.ts";

const refusal = z.looseObject({ error: z.string(), challenge_tokens: z.array(z.unknown()).nullish() });

/** A call of the bridge, below its address. */
export interface BridgeCall extends Pick<
  PlatformCall,
  "method" | "isSend" | "timeoutMs" | "maxBytes" | "signal"
> {
  path: string;
  body?: Readonly<Record<string, unknown>>;
}

/** A bridge to Signal: signal-cli-rest-api at an address that a user gave. */
export class Bridge {
  readonly #credentials: SignalCredentials;
  readonly #fetch: typeof fetch;

  constructor(credentials: SignalCredentials, { guardedFetch }: Pick<ApiEnvironment, "guardedFetch">) {
    this.#credentials = credentials;
    this.#fetch = async (input, init) => {
      try {
        return await guardedFetch(input, init);
      } catch (error) {
        // An address that the service may not call stays refused.
        if (!(error instanceof AppError) || error.retryable) throw error;
        throw new PlatformFailure("refused", `Signal's bridge cannot be called: ${error.message}.`);
      }
    };
  }

  get number(): string {
    return this.#credentials.phone_number;
  }

  /** Makes a call that the bridge accepts with a status of 2xx. Throws `PlatformFailure` for everything else. */
  async call({
    path,
    body,
    ...options
  }: BridgeCall): Promise<{ call: PlatformCall; answer: PlatformAnswer }> {
    const call = this.describe(path, {
      ...options,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    const answer = await callPlatform(call);
    if (answer.status < 200 || answer.status > 299) throw this.failure(call, answer);
    return { call, answer };
  }

  /**
   * Begins a call whose answer may go on for as long as the bridge runs: the caller reads it. Throws `PlatformFailure` when
   * no answer begins.
   */
  async stream(path: string, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#fetch(this.addressOf(path), {
        headers: { accept: "text/event-stream, application/json" },
        signal,
      });
    } catch (error) {
      if (error instanceof PlatformFailure) throw error;
      throw new PlatformFailure("unreachable", "Signal's bridge could not be reached.");
    }
  }

  addressOf(path: string): string {
    return `${this.#credentials.signal_cli_url}${path}`;
  }

  describe(path: string, options: Omit<PlatformCall, "fetch" | "label" | "url">): PlatformCall {
    return { ...options, fetch: this.#fetch, label: "Signal's bridge", url: this.addressOf(path) };
  }

  /** The failure that an answer tells of. */
  failure(call: PlatformCall, answer: PlatformAnswer): PlatformFailure {
    const { status } = answer;
    const told = answerJson(answer, refusal);
    if (status === 429) {
      return told?.challenge_tokens?.length
        ? new PlatformFailure(
            "refused",
            "Signal wants a captcha to be solved for the number: see rate-limit-challenge in the bridge's manual.",
          )
        : busy(call, retryAfterOf(answer));
    }
    if (status === 401 || status === 403) {
      return new PlatformFailure("unauthorized", `Signal's bridge refused the service (status ${status}).`);
    }
    if (status >= 500) {
      return new PlatformFailure("unreachable", `Signal's bridge returned the status ${status}.`, {
        mayHaveHappened: call.isSend ?? false,
      });
    }
    if (told === undefined) {
      return new PlatformFailure("refused", `The bridge's address returned the status ${status}.`);
    }
    const { signal_cli_url: url, phone_number: number } = this.#credentials;
    const quote = quoted(told.error, [url, new URL(url).host, number]).replace(/[.]$/u, "");
    return refusalFailure(told.error, quote, call.isSend ?? false);
  }
}
