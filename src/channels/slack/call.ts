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
import { type FailureKind, PlatformFailure } from "../platform-failure.ts";

export const LABEL = "Slack";
const FILES_HOST = "files.slack.com";
const RESPONSE_HOST = "hooks.slack.com";

const NEW_TOKEN = "Slack does not accept the bot token any more: enter a new one";

/** Errors after which no call works until the owner acts. */
const UNAUTHORIZED: ReadonlyMap<string, string> = new Map([
  ["not_authed", NEW_TOKEN],
  ["invalid_auth", NEW_TOKEN],
  ["token_revoked", NEW_TOKEN],
  ["token_expired", NEW_TOKEN],
  ["user_removed_from_team", NEW_TOKEN],
  ["account_inactive", "The app was removed from the workspace: install it again and enter the new token"],
  ["team_disabled", "The workspace was closed"],
  ["not_allowed_token_type", "The token is of another type: enter the bot token"],
]);

/** Errors of Slack's own, after which it may have done what it was asked. */
const BROKEN: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
]);

/** What is to be done about the errors that people meet. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["channel_not_found", "The channel does not exist, or the bot does not see it"],
  ["not_in_channel", "The bot is not in the channel: invite it"],
  ["is_archived", "The channel is archived"],
  ["restricted_action", "A setting of the workspace keeps the bot from writing there"],
  ["messages_tab_disabled", "Switch the Messages tab on, under App Home"],
  ["msg_too_long", "The message is longer than Slack takes"],
  ["no_text", "Slack takes no empty messages"],
  ["message_not_found", "The message does not exist any more"],
  ["user_not_found", "Slack knows no such person"],
  ["file_upload_size_restricted", "The file is larger than Slack takes"],
]);

/** Slack answered with an error. */
export class SlackFailure extends PlatformFailure {
  /** Slack's name of the error. */
  readonly error: string;

  constructor(kind: FailureKind, message: string, options: { error: string; mayHaveHappened?: boolean }) {
    super(kind, message, options);
    this.error = options.error;
  }
}

const outcome = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  /** The scope that a missing_scope is about. */
  needed: z.string().optional(),
});
type Outcome = z.infer<typeof outcome>;

/** The arguments of a method. Slack takes them as a form everywhere, as JSON only here and there. */
export type Arguments = Readonly<Record<string, string | number | boolean | object | undefined>>;

/** A method of Slack's API: throws `SlackFailure` for errors of Slack, else `PlatformFailure`. */
export type SlackMethod = <T>(
  name: string,
  given: Arguments,
  schema: z.ZodType<T>,
  options?: { isSend?: boolean },
) => Promise<T>;

/** Calls methods with a token. */
export function createSlackMethod(token: string, { baseUrls, fetch }: ApiEnvironment): SlackMethod {
  return async (name, given, schema, { isSend = false } = {}) => {
    const call: PlatformCall = {
      fetch,
      label: LABEL,
      url: `${baseUrls.slack}/${name}`,
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      },
      body: formOf(given),
      isSend,
    };
    const answer = await callPlatform(call);
    if (answer.status === 429) throw busy(call, retryAfterOf(answer));
    const read = answerJson(answer, outcome);
    if (answer.status >= 500 || read === undefined) {
      // A page of a proxy with an error of the request's says that Slack was not asked.
      const isSent = isSend && (answer.status < 300 || answer.status >= 500);
      throw unreachable({ ...call, isSend: isSent }, `failed with status ${answer.status}`);
    }
    if (!read.ok) throw failureOf(read, answer, call, token);
    const value = answerJson(answer, schema);
    if (value === undefined) throw unreachable(call, "returned what could not be read");
    return value;
  };
}

function formOf(given: Arguments): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined)
      form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return form.toString();
}

function failureOf(
  { error = "unknown_error", needed }: Outcome,
  answer: PlatformAnswer,
  call: PlatformCall,
  token: string,
): PlatformFailure {
  if (error === "ratelimited" || error === "rate_limited") return busy(call, retryAfterOf(answer));
  const name = quoted(error, [token]);
  const failure = (kind: FailureKind, reason: string, mayHaveHappened = false) =>
    new SlackFailure(kind, `${reason} (Slack error ${name}).`, { error: name, mayHaveHappened });
  if (BROKEN.has(error)) return failure("unreachable", "Slack failed", call.isSend);
  const unauthorized = UNAUTHORIZED.get(error);
  if (unauthorized !== undefined) return failure("unauthorized", unauthorized);
  if (error === "missing_scope") {
    return failure("refused", `Give the app the scope ${quoted(needed ?? "", [token])} and install it again`);
  }
  return failure("refused", REFUSED.get(error) ?? "Slack refused the call");
}

/** Whether an address that Slack named holds files: only there a token is sent. */
export function isFileAddress(url: URL, environment: ApiEnvironment): boolean {
  return isSlackAddress(url, FILES_HOST, environment);
}

/** Whether an address takes responses to a command or a click. */
export function isResponseAddress(url: URL, environment: ApiEnvironment): boolean {
  return isSlackAddress(url, RESPONSE_HOST, environment);
}

function isSlackAddress(url: URL, host: string, { baseUrls }: ApiEnvironment): boolean {
  return (url.protocol === "https:" && url.host === host) || url.origin === new URL(baseUrls.slack).origin;
}
