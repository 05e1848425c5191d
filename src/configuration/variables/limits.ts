import { z } from "zod";
import { ATTEMPTS, RATES } from "#src/domain/operations/limits/table.ts";
import { integer, optional, withDefault } from "../fields.ts";

/** Rates and limits, per person, key and address. Their rows have the defaults. */
export const limitVariables = {
  USER_RATE_PER_MINUTE: integer(RATES.user.most, 0),
  CHAT_RATE_PER_MINUTE: integer(RATES.chat.most, 0),
  /**
   * Concurrent agents of one person in all projects, and of all people in one project; 0 is no limit. When absent,
   * these two and the next have the limits of `ALLOWANCES`, or none if both rates above are 0.
   */
  USER_MAX_CONCURRENT_AGENTS: optional(integer(0, 0, 10_000)),
  PROJECT_MAX_CONCURRENT_AGENTS: optional(integer(0, 0, 10_000)),
  /** Messages to agents in ten seconds, over all keys, sessions and sockets of one person; 0 is no limit. */
  USER_ENQUEUE_RATE_PER_10S: optional(integer(0, 0, 10_000)),
  /** Commands of one person over `/api/agent/execute`; 0 is no limit. */
  COMMAND_RATE_PER_MINUTE: integer(RATES.command.most, 0),
  KEY_RATE_BURST: integer(RATES.key.most, 0),
  KEY_RATE_PER_SECOND: withDefault(z.coerce.number("must be a number").min(0), RATES.key.perSecond),
  /** Failed attempts per kind (password, code, reset, pairing) in a window; 0 is no limit. */
  AUTH_ATTEMPTS_PER_ACCOUNT: integer(ATTEMPTS.account.most, 0, 10_000),
  AUTH_ATTEMPTS_PER_ADDRESS: integer(ATTEMPTS.address.most, 0, 10_000),
  AUTH_ATTEMPT_WINDOW_SECONDS: integer(ATTEMPTS.account.seconds, 1, 86_400),
  /** Mails to one account in the same window; 0 is no limit. */
  MAIL_SENDS_PER_ACCOUNT: integer(ATTEMPTS.mail.most, 0, 10_000),
  /** Accounts created from one address in the same window; when absent, there is a limit in production only. */
  REGISTRATIONS_PER_ADDRESS: optional(integer(0, 0, 10_000)),
  /** The operator's own reverse proxies in front of the service, each of which appends to X-Forwarded-For. */
  TRUSTED_PROXY_HOPS: integer(0, 0, 10),
};
