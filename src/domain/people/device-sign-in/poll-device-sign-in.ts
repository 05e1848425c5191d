import {
  startSession,
  type Client,
  type Session,
  type SessionDeps,
} from "#src/domain/access/sessions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { pollSignIn, type PollState } from "./queries.ts";

/** Names and meanings of RFC 8628, section 3.5, and RFC 6749, section 5.2. */
const ERRORS = {
  invalid_grant: "The device code is unknown, or has been used: start the sign-in again",
  authorization_pending: "The person has not decided yet: ask again after the interval",
  slow_down: "Asked before the interval was over: it is five seconds longer from now on",
  access_denied: "The sign-in was denied, or the session that approved it has ended",
  expired_token: "The device code has expired: start the sign-in again",
} as const satisfies Record<Exclude<PollState, "approved">, string>;

/**
 * Returns the session of an approved sign-in, once. Before and otherwise, throws `invalid_input` with RFC 8628's error in
 * `extra.error`; throws `conflict` when the approver's account changes at the same time.
 *
 * The code is used up before the session opens, so of concurrent polls only one gets a session. If the response is lost,
 * the code stays used up and the program begins again: returning the tokens to a second poll would mean storing them.
 */
export async function pollDeviceSignIn(
  deps: SessionDeps,
  deviceCode: string,
  client: Client,
): Promise<Required<Session>> {
  const polled = await pollSignIn(deps.db, sha256Hex(deviceCode));
  if (polled.state !== "approved") throw refusal(polled.state);
  const { user, program } = polled;
  const { accessToken, refreshToken } = await startSession(deps, user, client, "device", program);
  if (refreshToken === undefined) throw new Error("A new session has no refresh token");
  return { accessToken, refreshToken };
}

function refusal(error: keyof typeof ERRORS): AppError {
  return new AppError("invalid_input", ERRORS[error], { extra: { error } });
}
