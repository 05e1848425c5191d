import { z } from "zod";
import type { ApiEnvironment } from "../channel.ts";
import {
  answerJson,
  busy,
  callPlatform,
  type PlatformAnswer,
  type PlatformCall,
  quoted,
  retryAfterOf,
  unreachable,
} from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";

/** Discord refuses calls without it, and wants it in this form. */
export const USER_AGENT = "DiscordBot (agent-workspace-service, 1)";

/** Codes of errors, as far as calls treat them each in its own way. */
export const UNKNOWN_MESSAGE = 10_008;
export const UNKNOWN_INTERACTION = 10_062;
export const ALREADY_ANSWERED = 40_060;
const OPENED_TOO_FAST = 40_003;

/** What is to be done about the errors that people meet. */
const SENTENCES: ReadonlyMap<number, string> = new Map([
  [10_003, "The channel does not exist any more, or the bot does not see it"],
  [UNKNOWN_MESSAGE, "The message does not exist any more"],
  [10_013, "Discord knows no such person"],
  [UNKNOWN_INTERACTION, "The interaction is over"],
  [40_005, "The file is larger than Discord takes"],
  [50_001, "The bot has no access to the channel: invite it, or let it see the channel"],
  [50_006, "Discord takes no empty messages"],
  [50_007, "The person accepts no private messages from the bot"],
  [50_013, "The bot lacks a permission in the channel"],
  [50_083, "The thread is archived"],
  [160_005, "The thread is locked"],
  [200_000, "The server's automatic moderation blocked the message"],
]);

/** Discord answered with an error. */
export class DiscordFailure extends PlatformFailure {
  readonly status: number;
  /** Discord's own code, where there is one. */
  readonly code: number | undefined;

  constructor(
    kind: PlatformFailure["kind"],
    message: string,
    { status, code }: { status: number; code: number | undefined },
  ) {
    super(kind, message);
    this.status = status;
    this.code = code;
  }
}

/** A call at Discord's API. */
export interface DiscordCall extends Pick<PlatformCall, "method" | "isSend" | "timeoutMs"> {
  /** Below the base address. */
  path: string;
  json?: unknown;
  form?: FormData;
  /** Token of an interaction that is part of the path: it authorizes the call in place of the bot. */
  interactionToken?: string;
}

const error = z.looseObject({ code: z.int().optional(), message: z.string().default("") });
const tooMany = z.looseObject({ retry_after: z.number().optional() });

/** Makes calls and reads what they return. Throws `DiscordFailure` for errors of Discord, else `PlatformFailure`. */
export function createDiscordCalls(token: string, { baseUrls, fetch }: ApiEnvironment) {
  async function call(request: DiscordCall): Promise<{ made: PlatformCall; answer: PlatformAnswer }> {
    const { path, json, form, interactionToken, ...rest } = request;
    const body = json === undefined ? form : JSON.stringify(json);
    const made: PlatformCall = {
      ...rest,
      fetch,
      label: "Discord",
      url: baseUrls.discord + path,
      headers: {
        "user-agent": USER_AGENT,
        ...(interactionToken === undefined && { authorization: `Bot ${token}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body }),
    };
    const answer = await callPlatform(made);
    if (answer.status >= 200 && answer.status < 300) return { made, answer };
    throw failureOf(answer, made, [token, interactionToken ?? ""], interactionToken !== undefined);
  }

  return {
    /** For what returns nothing that is read. */
    async make(request: DiscordCall): Promise<void> {
      await call(request);
    },
    async read<T>(request: DiscordCall, schema: z.ZodType<T>): Promise<T> {
      const { made, answer } = await call(request);
      const value = answerJson(answer, schema);
      if (value !== undefined) return value;
      throw unreachable(made, "returned what could not be read");
    },
  };
}

function failureOf(
  answer: PlatformAnswer,
  made: PlatformCall,
  secrets: readonly string[],
  isInteraction: boolean,
): PlatformFailure {
  const { status } = answer;
  if (status === 429) {
    return busy(made, answerJson(answer, tooMany)?.retry_after ?? retryAfterOf(answer));
  }
  const told = answerJson(answer, error);
  const code = told?.code;
  if (code === OPENED_TOO_FAST) return busy(made, retryAfterOf(answer));
  if (status === 401 && !isInteraction) {
    return new DiscordFailure(
      "unauthorized",
      "Discord does not accept the bot token any more: enter a new one.",
      {
        status,
        code,
      },
    );
  }
  // Without an error of Discord's it is another who answers: Cloudflare, or a proxy.
  const isRefusal = status >= 400 && status < 500 && (told !== undefined || status === 413);
  if (!isRefusal) {
    const isDone = (made.isSend ?? false) && status >= 500;
    return unreachable({ ...made, isSend: isDone }, `failed with status ${status}`);
  }
  const reason =
    (status === 413 ? SENTENCES.get(40_005) : SENTENCES.get(code ?? 0)) ??
    (quoted(told?.message ?? "", secrets) || "Discord refused the call");
  return new DiscordFailure("refused", `${reason} (Discord error ${code ?? status}).`, { status, code });
}
