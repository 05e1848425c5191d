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

/** A bot at the Bot API. */
export interface Bot {
  baseUrl: string;
  token: string;
  fetch: typeof fetch;
}

/** Whether a token is of the chat platform of `npm start`; Telegram's own begin with digits. */
export function isStandIn(token: string): boolean {
  return token.startsWith("standin");
}

/** The bot of a token, at the API that knows it. */
export function botOf(
  token: string,
  { baseUrls, chatPlatformUrl, fetch: send }: Pick<ApiEnvironment, "baseUrls" | "chatPlatformUrl" | "fetch">,
): Bot {
  const standIn = isStandIn(token) ? chatPlatformUrl : undefined;
  return { baseUrl: standIn ?? baseUrls.telegram, token, fetch: send };
}

interface MethodOptions {
  isSend?: boolean;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
  /** Values beside the token that no sentence may hold. */
  secrets?: readonly string[];
}

/** What is read of an answer, whether good or bad. */
const answer = z.union([
  z.looseObject({ ok: z.literal(true), result: z.unknown() }),
  z.looseObject({
    ok: z.literal(false),
    description: z.string().catch(""),
    parameters: z
      .looseObject({ retry_after: z.number().optional(), migrate_to_chat_id: z.int().optional() })
      .optional()
      .catch(undefined),
  }),
]);

/** The Bot API refused a method; callers read the platform's own words from it. */
export class BotRefusal extends PlatformFailure {
  /** What Telegram said. */
  readonly description: string;
  /** The id of the supergroup that the chat became. */
  readonly migratedTo: number | undefined;

  constructor(message: string, description: string, migratedTo: number | undefined) {
    super("refused", message);
    this.description = description;
    this.migratedTo = migratedTo;
  }
}

/** Calls a method of the Bot API. Fails as `PlatformFailure`, a refusal as `BotRefusal`. */
export async function callBot<T>(
  bot: Bot,
  method: string,
  parameters: Readonly<Record<string, unknown>> | FormData,
  result: z.ZodType<T>,
  { secrets = [], ...options }: MethodOptions = {},
): Promise<T> {
  const isForm = parameters instanceof FormData;
  const call: PlatformCall = {
    ...callOf(bot, `/bot${bot.token}/${method}`),
    ...options,
    method: "POST",
    body: isForm ? parameters : JSON.stringify(parameters),
    // A form's own type names its boundary.
    ...(!isForm && { headers: { "content-type": "application/json" } }),
  };
  const received = await callPlatform(call);
  const read = answerJson(received, answer);
  if (read?.ok === true && received.status === 200) {
    const parsed = result.safeParse(read.result);
    if (parsed.success) return parsed.data;
  }
  throw failureOf(call, received, read?.ok === false ? read : undefined, [bot.token, ...secrets]);
}

/** The parts of every call: one platform, one name. */
export function callOf(bot: Bot, path: string): PlatformCall {
  return { fetch: bot.fetch, label: "Telegram", url: `${bot.baseUrl}${path}`, method: "GET" };
}

function failureOf(
  call: PlatformCall,
  received: PlatformAnswer,
  read: Extract<z.infer<typeof answer>, { ok: false }> | undefined,
  secrets: readonly string[],
): PlatformFailure {
  const { status } = received;
  if (status === 429) return busy(call, read?.parameters?.retry_after ?? retryAfterOf(received));
  if (status >= 500) return unreachable(call, `has a problem of its own (status ${status})`);
  // An answer that the Bot API did not write, such as a proxy's page.
  if (!read) return unreachable(call, `returned something unexpected (status ${status})`);
  // Tokens that Telegram never gave are 404, those that were revoked 401.
  if (status === 401 || status === 404) {
    const message = "Telegram does not know the bot's token. Enter the token that @BotFather shows.";
    return new PlatformFailure("unauthorized", message);
  }
  const description = quoted(read.description.replace(/^[A-Z][a-z]+( [A-Z][a-z]+)*: /u, ""), secrets);
  return new BotRefusal(sentenceOf(description), description, read.parameters?.migrate_to_chat_id);
}

/** Refusals that owners meet, in words that say what to do. */
const SENTENCES: readonly [said: RegExp, sentence: string][] = [
  [/bot was blocked by the user/iu, "The person blocked the bot."],
  [/user is deactivated/iu, "The person's Telegram account no longer exists."],
  [/can't initiate conversation/iu, "The person has to open the bot in Telegram and send it /start first."],
  [/bot was kicked|bot is not a member/iu, "The bot is no longer a member of the chat."],
  [
    /chat not found/iu,
    "Telegram does not know the chat, or its person has not sent the bot /start in Telegram.",
  ],
  [/message thread not found|topic_deleted/iu, "The topic of the chat no longer exists."],
  [/topic_closed/iu, "The topic of the chat is closed."],
  [
    /not enough rights|have no rights|chat_write_forbidden/iu,
    "The bot may not do this in the chat: an administrator has to allow it.",
  ],
];

function sentenceOf(description: string): string {
  const known = SENTENCES.find(([said]) => said.test(description));
  return known?.[1] ?? `Telegram refused: ${description === "" ? "it gave no reason" : description}.`;
}
